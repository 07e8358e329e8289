import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

const direct = Object.entries({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
});

/** First cells of the page's tables: the packages with a documented reason. */
const explained = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
  .map((match) => match[1]);

test.each([...direct.map(([name]) => name), ...Object.keys(manifest.overrides)])(
  'docs/dependencies.md explains %s',
  (name) => {
    expect(explained).toContain(name);
  },
);

test('docs/dependencies.md explains only packages that are used', () => {
  const known = [...direct.map(([name]) => name), ...Object.keys(manifest.overrides)];
  expect(explained.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

test.each(direct)('%s is pinned to one version: %s', (_name, version) => {
  expect(version).toMatch(/^(npm:.+@)?\d+\.\d+\.\d+(-r\.\d+)?$/);
});
