/**
 * A real Chromium for tests and benches: the one of `CHROMIUM_PATH`, else one on PATH, else the one that the package
 * `@sparticuz/chromium` carries for Linux x64, with the libraries that a bare machine lacks.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CARRIED = join(ROOT, '.tools', 'chromium');

/**
 * The caller closes it. WebGL is rendered in software, so that a machine without a graphics card gives the same result.
 */
export async function launchBrowser(): Promise<Browser> {
  const { path, environment } = await findChromium();
  return chromium.launch({
    executablePath: path,
    env: environment,
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
  });
}

async function findChromium(): Promise<{ path: string; environment: NodeJS.ProcessEnv }> {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return { path: named, environment: process.env };
  const installed = onPath(['chromium', 'chromium-browser', 'google-chrome']);
  if (installed !== null) return { path: installed, environment: process.env };
  if (!existsSync(CARRIED)) await unpackCarried();
  const libraries = [join(CARRIED, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH'] ?? ''];
  const FONTCONFIG_FILE = await fontConfiguration();
  const LD_LIBRARY_PATH = libraries.join(delimiter);
  const environment = { ...process.env, FONTCONFIG_FILE, LD_LIBRARY_PATH };
  return { path: join(CARRIED, 'chromium'), environment };
}

/**
 * The configuration in the package looks for fonts in another folder than that of its unpacking: without any font
 * Chromium crashes at the first text.
 */
async function fontConfiguration(): Promise<string> {
  const path = join(CARRIED, 'fontconfig.xml');
  const folders = [join(CARRIED, 'fonts', 'fonts'), '/usr/share/fonts'];
  const lines = folders.map((folder) => `<dir>${folder}</dir>`).join('');
  const cache = `<cachedir>${join(CARRIED, 'fontconfig-cache')}</cachedir>`;
  // Atomically: other tests may be starting a browser with it.
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `<?xml version="1.0"?><fontconfig>${lines}${cache}</fontconfig>\n`);
  await rename(temporary, path);
  return path;
}

function onPath(names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The package unpacks into the folder for temporary files and accepts an incomplete file; this one does not. */
async function unpackCarried(): Promise<void> {
  await mkdir(join(ROOT, '.tools'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.tools', 'chromium-'));
  const script = `
    import chromium, { inflate } from '@sparticuz/chromium';
    await chromium.executablePath();
    await inflate(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')).pathname);`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
  });
  // Another test may have been faster: one is enough.
  await rename(folder, CARRIED).catch(() => rm(folder, { recursive: true, force: true }));
}
