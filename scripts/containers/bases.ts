/**
 * Stand-ins for the base images of the Dockerfile, for machines that reach no image registry: Debian by mmdebstrap,
 * with Node from the packages of the checkout, under the names of the Dockerfile. An existing image of that name is used as
 * it is.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasImage, outputOf } from '../run.ts';

const DEBIAN = 'docker.io/library/debian:bookworm-slim';
const NODE = 'docker.io/library/node:26.12.1-bookworm-slim';

/** As in Debian's own slim image. */
const SLIM = ['man', 'doc', 'info', 'locale'].map(
  (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
);
/** usrmerge would install it with the whole of Perl; Debian's own image has neither, but usr-is-merged. */
const WITHOUT_PERL = ['--include=usr-is-merged'];
const PURGE =
  "apt-get purge --yes usrmerge perl 'perl-modules-*' 'libperl5*' 'lib*-perl' && apt-get autoremove --yes --purge";
const CHROOT = ['--isolation', 'chroot'];

/** @param folder for keeping root file systems for the next time */
export function baseImages(folder: string, say: (line: string) => void): void {
  for (const [image, make] of [
    [DEBIAN, () => makeDebian(folder)],
    [NODE, makeNode],
  ] as const) {
    if (hasImage(image)) continue;
    say(`Making a stand-in for ${image} (a minute) …`);
    make();
  }
}

function makeDebian(folder: string): void {
  const tar = join(folder, 'bookworm.tar');
  if (!existsSync(tar))
    outputOf('mmdebstrap', '--variant=apt', ...WITHOUT_PERL, ...SLIM, 'bookworm', tar);
  const container = outputOf('buildah', 'from', 'scratch');
  outputOf('buildah', 'add', '--quiet', container, tar, '/');
  inside(container, `${PURGE} && rm -rf /var/lib/apt/lists/* /var/cache/apt/*`);
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  outputOf('buildah', 'config', '--env', path, container);
  commit(container, DEBIAN);
}

function makeNode(): void {
  const container = outputOf('buildah', 'from', '--pull-never', DEBIAN);
  outputOf('buildah', 'copy', '--quiet', container, process.execPath, '/usr/local/bin/node');
  const npm = dirname(dirname(realpathSync(outputOf('sh', '-c', 'command -v npm'))));
  outputOf('buildah', 'copy', '--quiet', container, npm, '/usr/local/lib/node_modules/npm');
  inside(
    container,
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd -u 1000 -m node',
  );
  commit(container, NODE);
}

function inside(container: string, command: string): void {
  outputOf('buildah', 'run', ...CHROOT, container, '--', 'sh', '-c', command);
}

function commit(container: string, name: string): void {
  outputOf('buildah', 'commit', '--quiet', '--squash', container, name);
  outputOf('buildah', 'rm', container);
}
