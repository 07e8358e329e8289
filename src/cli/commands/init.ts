/**
 * `hundredfold init`: a folder to begin in, with a configuration in which everything is explained and nothing set, and
 * a small manifest whose inputs the local services know.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { BUILT, PROGRAM_FOLDER } from '../../program/files.ts';
import { say } from '../text/explain.ts';

/** Where it goes, below the folder → where it comes from, below the project. */
export const STARTER: Readonly<Record<string, string>> = {
  'hundredfold.yaml': 'starter/hundredfold.yaml',
  'manifest.csv': 'starter/manifest.csv',
  'files/gst2.fasta': 'batches/demo/files/gst2.fasta',
  'files/ubiquitin.nef': 'batches/demo/files/bmr5387_ubiquitin.nef',
  // Beside the files that they describe: an editor finds them without a network.
  'schemas/config.schema.json': 'schemas/config.schema.json',
  'schemas/manifest.schema.json': 'schemas/manifest.schema.json',
};

/** Only adds: what is there already stays as it is. @throws HundredfoldError `CONFIG_NOT_WRITTEN` */
export async function init(folder: string): Promise<number> {
  const written: string[] = [];
  const left: string[] = [];
  for (const [name, source] of Object.entries(STARTER)) {
    const content = await readFile(join(PROGRAM_FOLDER, source));
    const list = (await added(join(folder, name), content)) ? written : left;
    list.push(name);
  }
  if (written.length > 0) say(`Written in ${resolve(folder)}:\n  ${written.join('\n  ')}`);
  if (left.length > 0) say(`Not changed, because they already existed:\n  ${left.join('\n  ')}`);
  say('Next, try it on this machine (hundredfold.yaml says how to use the real services):');
  for (const command of nextCommands(folder)) say(`  ${command}`);
  return EXIT.ok;
}

/** Whether it was written; false where something of that name is there, even a link that leads nowhere. */
async function added(path: string, content: Uint8Array): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (cause) {
    const { code, path: where } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && where === path) return false;
    if (code === undefined) throw cause;
    throw new HundredfoldError({
      code: 'CONFIG_NOT_WRITTEN',
      message: `cannot write ${path} (${code})`,
      remedy: 'Choose a folder that you can write to, or one that does not exist yet.',
      cause,
    });
  }
}

function nextCommands(folder: string): string[] {
  const run = `${commandIn(resolve(folder))} run manifest.csv --services local`;
  return resolve(folder) === process.cwd() ? [run] : [`cd ${quoted(folder)}`, run];
}

/** How the command is typed in a folder: a checkout is found by npx, and only from inside. */
function commandIn(folder: string): string {
  if (BUILT) return process.env['npm_command'] === 'exec' ? 'npx hundredfold' : 'hundredfold';
  const inside = `${folder}${sep}`.startsWith(PROGRAM_FOLDER);
  return inside ? 'npx hundredfold' : `npx --prefix ${quoted(resolve(PROGRAM_FOLDER))} hundredfold`;
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) && !path.startsWith('-')
    ? path
    : `'${path.replaceAll("'", `'\\''`)}'`;
}
