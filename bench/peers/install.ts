/** Installs the peers' packages below `.tools/peers`, once for each content of their manifests. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const PEERS = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.tools/peers/', import.meta.url));

/** Packages of Debian that are unpacked, not installed: the system is not changed. */
const REDIS = ['redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1', 'libhiredis0.14'];

/** Folder with the packages of `NAME/package.json` and the current programs. */
export async function npmFolder(name: string): Promise<string> {
  const manifest = join(PEERS, name, 'package.json');
  const folder = await once(name, readFileSync(manifest), async (temporary) => {
    cpSync(manifest, join(temporary, 'package.json'));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...options], { cwd: temporary });
  });
  cpSync(join(PEERS, 'client.js'), join(folder, 'client.js'));
  cpSync(join(PEERS, name), join(folder, name), { recursive: true });
  return folder;
}

/** Version of an installed package. */
export function npmVersion(folder: string, name: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return `${name} ${(JSON.parse(text) as { version: string }).version}`;
}

/** Folder of the programs of a Python environment with `NAME/requirements.txt`. */
export async function pipFolder(name: string): Promise<string> {
  const requirements = join(PEERS, name, 'requirements.txt');
  const folder = await once(name, readFileSync(requirements), async (temporary) => {
    await run('python3', ['-m', 'venv', temporary]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    await run(join(temporary, 'bin', 'python'), pip);
  });
  return join(folder, 'bin');
}

export interface RedisProgram {
  readonly program: string;
  /** Folder of its libraries, if it is not the system's. */
  readonly libraries: string | null;
}

/** Valkey or Redis of this machine, or Debian's. */
export async function redisProgram(): Promise<RedisProgram> {
  const own = onPath('valkey-server') ?? onPath('redis-server');
  if (own !== null) return { program: own, libraries: null };
  const folder = await once('redis', REDIS.join(), async (temporary) => {
    await run('apt-get', ['download', '--quiet', ...REDIS], { cwd: temporary });
    for (const file of readdirSync(temporary).filter((one) => one.endsWith('.deb')))
      await run('dpkg-deb', ['--extract', file, '.'], { cwd: temporary });
  });
  const libraries = readdirSync(join(folder, 'usr', 'lib')).find((one) => one.endsWith('-gnu'));
  // One program with three names: it is the server when it is called with a configuration.
  const program = join(folder, 'usr', 'bin', 'redis-server');
  if (!existsSync(program)) cpSync(join(dirname(program), 'redis-check-rdb'), program);
  return { program, libraries: join(folder, 'usr', 'lib', libraries ?? '') };
}

export function onPath(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** Atomically. Python environments contain their own path, so theirs is the final one from the start. */
async function once(
  name: string,
  content: string | Buffer,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const folder = join(CACHE, `${name}-${digest}`);
  const done = join(CACHE, `${name}-${digest}.installed`);
  if (existsSync(done)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await install(folder);
  await mkdir(`${done}.part`, { recursive: true });
  await rename(`${done}.part`, done);
  return folder;
}
