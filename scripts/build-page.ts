/**
 * Run at set-up: bundles the report's page into dist/report-page/, in pieces that a report includes as needed:
 * `app.js`, `style.css`, `viewer.js` (3Dmol, for molecules only) and `licences.txt` (of all bundled packages).
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'packages', 'report-page');
const DIST = join(ROOT, 'dist');
const VIEWER = join(ROOT, 'node_modules', '3dmol', 'build', '3Dmol-min.js');
/** The packages in the viewer's one file, according to its package.json. */
const IN_VIEWER = ['3dmol', 'iobuffer', 'netcdfjs', 'pako', 'upng-js'];

const { code, packages } = await bundle();
const pieces = {
  'app.js': inline(code),
  'style.css': readFileSync(join(PAGE, 'style.css'), 'utf8'),
  'viewer.js': inline(readFileSync(VIEWER, 'utf8')),
  'licences.txt': licences([...packages, ...IN_VIEWER]),
};
await mkdir(DIST, { recursive: true });
const folder = await mkdtemp(join(DIST, '.report-page-'));
for (const [name, text] of Object.entries(pieces)) await writeFile(join(folder, name), text);
// mkdtemp makes it readable only by its owner, which is not the user in an image or a package.
await chmod(folder, 0o755);
await rm(join(DIST, 'report-page'), { recursive: true, force: true });
await rename(folder, join(DIST, 'report-page'));

/** One classic script: a module would wait for the end of the page, after all of the items' data. */
async function bundle(): Promise<{ readonly code: string; readonly packages: readonly string[] }> {
  const { output } = await build({
    input: join(PAGE, 'main.tsx'),
    cwd: ROOT,
    platform: 'browser',
    tsconfig: join(PAGE, 'tsconfig.json'),
    transform: { target: 'es2023' },
    output: { format: 'iife', minify: true },
    write: false,
  });
  const [{ code, modules }] = output;
  const names = Object.keys(modules).flatMap(
    (path) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(path)?.[1] ?? [],
  );
  return { code, packages: [...new Set(names)].sort() };
}

/** The licences must be included in every copy, and every report is one. */
function licences(names: readonly string[]): string {
  return names
    .map((name) => {
      const folder = packageFolder(name);
      const { version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      ) as { version: string; license: string };
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}, ${license}\n\n${text}\n`;
    })
    .join('\n----\n\n');
}

function packageFolder(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  if (!existsSync(folder)) throw new Error(`${dirname(folder)} has no ${name}`);
  return folder;
}

/** A script in a page ends at the first `</script`, even inside a string. */
function inline(script: string): string {
  return script.replace(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
}
