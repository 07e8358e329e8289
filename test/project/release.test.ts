import { describe, expect, test } from 'vitest';
import { releaseProblems, sectionOf } from '../../scripts/release/changelog.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-30

### Added

- A thing.

## [1.1.0]

- An older thing.
`;
const READY = { version: '1.2.0', changelog: CHANGELOG, tags: ['v1.2.0'], isClean: true };

describe('the section of a version in the changelog', () => {
  test('ends before the next version', () => {
    expect(sectionOf(CHANGELOG, '1.2.0')).toBe('### Added\n\n- A thing.');
    expect(sectionOf(CHANGELOG, '1.1.0')).toBe('- An older thing.');
  });

  test('is empty, or missing', () => {
    expect(sectionOf(CHANGELOG, 'Unreleased')).toBe('');
    expect(sectionOf(CHANGELOG, '9.9.9')).toBeNull();
  });
});

describe('a commit is a release', () => {
  test('with tag, section, and no uncommitted changes', () => {
    expect(releaseProblems(READY)).toEqual([]);
  });

  test.each([
    [{ version: '1.2' }, '1.2 is no version of SemVer'],
    [{ tags: ['v1.1.0'] }, 'the commit has no tag v1.2.0'],
    [{ isClean: false }, 'there are changes that are not committed'],
    [{ version: '1.3.0', tags: ['v1.3.0'] }, 'CHANGELOG.md has no section [1.3.0]'],
    [
      { changelog: CHANGELOG.replace('[Unreleased]\n', '[Unreleased]\n\n- New.\n') },
      'CHANGELOG.md has lines under [Unreleased]',
    ],
  ])('but not with %o', (change, problem) => {
    expect(releaseProblems({ ...READY, ...change })).toContain(problem);
  });
});
