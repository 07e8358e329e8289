/** Installs the peers' packages below `.tools/peers`, once for each content of their manifests. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const PEERS = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.tools/peers/', import.meta.url));

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
