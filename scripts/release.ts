/**
 * `npm run release -- --dry-run [--out FOLDER] [--no-image] [--tarball FILE]`: creates the parts of a release, from the
 * version in package.json: the tarball (or uses an existing one), the image (if there is buildah), the bill of
 * materials, the changelog's section and SHA-256 of them all. It publishes nothing: docs/release.md describes how.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { clearContext, fillContext } from './containers/context.ts';
import { outputOf } from './run.ts';
import { releaseProblems, sectionOf } from './release/changelog.ts';

const ROOT = join(import.meta.dirname, '..');

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean' },
    out: { type: 'string', default: 'dist/release' },
    image: { type: 'boolean', default: true },
    tarball: { type: 'string' },
  },
  allowNegative: true,
});

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

process.chdir(ROOT);
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const tags = outputOf('git', 'tag', '--points-at', 'HEAD').split('\n').filter(Boolean);
const isClean = outputOf('git', 'status', '--porcelain', '--untracked-files=no') === '';
const problems = releaseProblems({ version, changelog, tags, isClean });
for (const problem of problems) say(`not a release yet: ${problem}`);
if (values['dry-run'] !== true) {
  say('Only --dry-run is there: what it makes is published by hand (docs/release.md).');
  process.exitCode = 1;
} else makeRelease(resolve(values.out), values.image);

function makeRelease(out: string, withImage: boolean): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const tarball = packed(out);
  const bom = spawnSync('tar', ['-xzOf', tarball, 'package/sbom.cdx.json'], { maxBuffer: 2 ** 26 });
  writeFileSync(join(out, `hundredfold-${version}.cdx.json`), bom.stdout);
  writeFileSync(
    join(out, 'CHANGELOG-section.md'),
    `${sectionOf(changelog, version) ?? sectionOf(changelog, 'Unreleased') ?? ''}\n`,
  );
  if (withImage) image(out, tarball);
  const files = readdirSync(out).sort();
  const digests = files.map((name) => `${sha256(join(out, name))}  ${name}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), digests.join(''));
  process.stdout.write(digests.join(''));
  say(`In ${out}. Nothing was published.`);
}

function packed(out: string): string {
  if (values.tarball !== undefined) {
    const copy = join(out, `hundredfold-${version}.tgz`);
    copyFileSync(values.tarball, copy);
    return copy;
  }
  say('Packing …');
  return outputOf(process.execPath, 'scripts/package.ts', '--out', out).split('\n').at(-1) ?? '';
}

/** An archive that `docker load` and `podman load` read. */
function image(out: string, tarball: string): void {
  if (spawnSync('buildah', ['--version']).status !== 0) {
    say('Without the image: buildah is not installed (npm run test:containers installs it).');
    return;
  }
  fillContext(tarball);
  const revision = outputOf('git', 'rev-parse', 'HEAD');
  const tag = `hundredfold:${version}`;
  const labels = ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`];
  say('Building the image …');
  try {
    // prettier-ignore
    outputOf('buildah', 'bud', '--isolation', 'chroot', '--network', 'host', '--format', 'docker', ...labels,
      '--target', 'standalone', '--tag', tag, ROOT);
  } catch (error) {
    process.exitCode = 1;
    say(`Without the image: ${(error as Error).message.trim().split('\n').slice(-5).join('\n')}`);
    return;
  } finally {
    clearContext();
  }
  outputOf(
    'buildah',
    'push',
    tag,
    `docker-archive:${join(out, `hundredfold-${version}-image.tar`)}`,
  );
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
