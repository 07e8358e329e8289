/**
 * Stand-ins for the base images of the Dockerfile, under their names, for machines that reach no image registry: Debian
 * by mmdebstrap, with Node from the checkout. An image of that name that is there already is used as it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DEBIAN = 'docker.io/library/debian:bookworm-slim';
const NODE = 'docker.io/library/node:24.21.0-bookworm-slim';
/** As Debian's own slim image. */
const SLIM = ['man', 'doc', 'info', 'locale'].map(
  (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
);
/** Brought by usrmerge with the whole of Perl; Debian's own image has neither, and usr-is-merged in its place. */
const WITHOUT_PERL = ['--include=usr-is-merged'];
const PURGE =
  "apt-get purge --yes usrmerge perl 'perl-modules-*' 'libperl5*' 'lib*-perl' && apt-get autoremove --yes --purge";
const CHROOT = ['--isolation', 'chroot'];

function must(program: string, ...args: readonly string[]): string {
  const run = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (run.status === 0) return run.stdout.trim();
  throw new Error(`${program} ${args.join(' ')} failed:\n${run.stdout}\n${run.stderr}`);
}

function isThere(image: string): boolean {
  return spawnSync('buildah', ['inspect', '--type', 'image', image]).status === 0;
}

/** @param folder where the root file system is kept for the next time */
export function baseImages(folder: string, say: (line: string) => void): void {
  if (!isThere(DEBIAN)) {
    say(`Making a stand-in for ${DEBIAN} (a minute) …`);
    debian(join(folder, 'bookworm.tar'));
  }
  if (isThere(NODE)) return;
  say(`Making a stand-in for ${NODE} …`);
  node();
}

function debian(tar: string): void {
  if (!existsSync(tar))
    must('mmdebstrap', '--variant=apt', ...WITHOUT_PERL, ...SLIM, 'bookworm', tar);
  const container = must('buildah', 'from', 'scratch');
  must('buildah', 'add', '--quiet', container, tar, '/');
  must(
    'buildah',
    'run',
    ...CHROOT,
    container,
    '--',
    'sh',
    '-c',
    `${PURGE} && rm -rf /var/lib/apt/lists/* /var/cache/apt/*`,
  );
  must(
    'buildah',
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  );
  commit(container, DEBIAN);
}

function node(): void {
  const container = must('buildah', 'from', '--pull-never', DEBIAN);
  must('buildah', 'copy', '--quiet', container, process.execPath, '/usr/local/bin/node');
  const npm = dirname(dirname(realpathSync(must('sh', '-c', 'command -v npm'))));
  must('buildah', 'copy', '--quiet', container, npm, '/usr/local/lib/node_modules/npm');
  const link =
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd -u 1000 -m node';
  must('buildah', 'run', ...CHROOT, container, '--', 'sh', '-c', link);
  commit(container, NODE);
}

function commit(container: string, name: string): void {
  must('buildah', 'commit', '--quiet', '--squash', container, name);
  must('buildah', 'rm', container);
}
