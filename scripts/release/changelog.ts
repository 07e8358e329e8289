/** The requirements of a release for version, tag and changelog. Pure. */

interface ReleaseState {
  /** In package.json. */
  readonly version: string;
  readonly changelog: string;
  /** Of the commit that is checked out. */
  readonly tags: readonly string[];
  readonly isClean: boolean;
}

/** The text below `## [NAME]`, until the next version; null if there is no such heading. */
export function sectionOf(changelog: string, name: string): string | null {
  const lines = changelog.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`## [${name}]`));
  if (from < 0) return null;
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith('## ['));
  const end = length < 0 ? lines.length : from + 1 + length;
  return lines
    .slice(from + 1, end)
    .join('\n')
    .trim();
}

/** Why this commit is not a release yet, a sentence each. */
export function releaseProblems({ version, changelog, tags, isClean }: ReleaseState): string[] {
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
    problems.push(`${version} is no version of SemVer`);
  if (!tags.includes(`v${version}`)) problems.push(`the commit has no tag v${version}`);
  if (!isClean) problems.push('there are changes that are not committed');
  const section = sectionOf(changelog, version);
  if (section === null) problems.push(`CHANGELOG.md has no section [${version}]`);
  else if (section === '') problems.push(`the section [${version}] of CHANGELOG.md is empty`);
  if (section !== null && (sectionOf(changelog, 'Unreleased') ?? '') !== '') {
    problems.push('CHANGELOG.md has lines under [Unreleased]');
  }
  return problems;
}
