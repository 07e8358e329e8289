/**
 * Stand-ins for the base images of the Dockerfile, for machines that reach no image registry: Debian by mmdebstrap,
 * with Node from the packages of the checkout. Those for this machine get the names of the Dockerfile; an existing
 * image of that name is used as it is. Those for arm64 get other names, which `arm64Contexts` substitutes.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasImage, outputOf } from '../run.ts';
import { nodeForArm64 } from './arm64.ts';

/** The names in the Dockerfile. */
const DEBIAN = 'debian:bookworm-slim';
const NODE = 'node:26.12.1-bookworm-slim';

/** Two base images of one architecture. */
interface Bases {
  /** In Debian's and buildah's notation; null for that of this machine. */
  readonly architecture: 'arm64' | null;
  readonly debian: string;
  readonly node: string;
  /** The path of the Node binary. */
  readonly program: (folder: string) => string;
}

const OWN: Bases = {
  architecture: null,
  debian: `docker.io/library/${DEBIAN}`,
  node: `docker.io/library/${NODE}`,
  program: () => process.execPath,
};
const ARM64: Bases = {
  architecture: 'arm64',
  debian: `localhost/stand-in/arm64/${DEBIAN}`,
  node: `localhost/stand-in/arm64/${NODE}`,
  program: nodeForArm64,
};

/** Arguments of `buildah build --platform linux/arm64` that take the base images from the stand-ins for arm64. */
export const arm64Contexts: readonly string[] = [
  `--build-context=${DEBIAN}=docker-image://${ARM64.debian}`,
  `--build-context=${NODE}=docker-image://${ARM64.node}`,
];

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
  make(OWN, folder, (image) => {
    say(`Making a stand-in for ${image} (a minute) …`);
  });
}

/** Their programs are emulated, so it takes minutes. */
export function arm64BaseImages(folder: string, say: (line: string) => void): void {
  make(ARM64, folder, (image) => {
    say(`Making ${image} (a few minutes, emulated) …`);
  });
}

function make(bases: Bases, folder: string, begins: (image: string) => void): void {
  if (!hasImage(bases.debian)) {
    begins(bases.debian);
    debian(bases, folder);
  }
  if (hasImage(bases.node)) return;
  begins(bases.node);
  node(bases, folder);
}

function debian(bases: Bases, folder: string): void {
  const { architecture } = bases;
  const tar = join(folder, `bookworm${architecture === null ? '' : `-${architecture}`}.tar`);
  const foreign = architecture === null ? [] : [`--architectures=${architecture}`];
  if (!existsSync(tar))
    outputOf('mmdebstrap', ...foreign, '--variant=apt', ...WITHOUT_PERL, ...SLIM, 'bookworm', tar);
  const container = outputOf('buildah', 'from', 'scratch');
  if (architecture !== null) outputOf('buildah', 'config', '--arch', architecture, container);
  outputOf('buildah', 'add', '--quiet', container, tar, '/');
  inside(container, `${PURGE} && rm -rf /var/lib/apt/lists/* /var/cache/apt/*`);
  outputOf(
    'buildah',
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  );
  commit(container, bases.debian);
}

function node(bases: Bases, folder: string): void {
  const platform = bases.architecture === null ? [] : ['--arch', bases.architecture];
  const container = outputOf('buildah', 'from', '--pull-never', ...platform, bases.debian);
  outputOf('buildah', 'copy', '--quiet', container, bases.program(folder), '/usr/local/bin/node');
  const npm = dirname(dirname(realpathSync(outputOf('sh', '-c', 'command -v npm'))));
  outputOf('buildah', 'copy', '--quiet', container, npm, '/usr/local/lib/node_modules/npm');
  inside(
    container,
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd -u 1000 -m node',
  );
  commit(container, bases.node);
}

function inside(container: string, command: string): void {
  outputOf('buildah', 'run', ...CHROOT, container, '--', 'sh', '-c', command);
}

function commit(container: string, name: string): void {
  outputOf('buildah', 'commit', '--quiet', '--squash', container, name);
  outputOf('buildah', 'rm', container);
}
