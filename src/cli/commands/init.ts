/**
 * `hundredfold init`: creates a folder to start from, with a configuration in which every setting is explained and none
 * is set, and a small manifest with inputs that the local services accept.
 */
import { Command } from 'commander';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readErrno } from '../../domain/process.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { PROGRAM_FOLDER } from '../../program.ts';
import { chooseTyped, say } from '../terminal.ts';
import { quoteWord } from '../../domain/plain-text.ts';
import { call } from '../options.ts';

export const commands = [
  new Command('init')
    .description(
      'create a starter folder with configuration, manifest and inputs; overwrites nothing',
    )
    .argument('[dir]', 'folder, created if missing', '.')
    .action(call(createStarter)),
];

/** Target path in the folder → source path in the project. */
export const STARTER: Readonly<Record<string, string>> = {
  'hundredfold.yaml': 'starter/hundredfold.yaml',
  'manifest.csv': 'starter/manifest.csv',
  'files/gst2.fasta': 'batches/demo/files/gst2.fasta',
  'files/ubiquitin.nef': 'batches/demo/files/bmr5387_ubiquitin.nef',
  // Next to the files that they describe, so that an editor finds them without a network.
  'schemas/config.schema.json': 'schemas/config.schema.json',
};

/** Only adds files: existing ones are not changed. @throws HundredfoldError `CONFIG_NOT_WRITTEN` */
async function createStarter(folder: string): Promise<number> {
  const written: string[] = [];
  const left: string[] = [];
  for (const [name, source] of Object.entries(STARTER)) {
    const content = await readFile(join(PROGRAM_FOLDER, source));
    const list = (await writeIfAbsent(join(folder, name), content)) ? written : left;
    list.push(name);
  }
  if (written.length > 0) say(`Written in ${resolve(folder)}:\n  ${written.join('\n  ')}`);
  if (left.length > 0) say(`Not changed, because they already existed:\n  ${left.join('\n  ')}`);
  say('Next, try it on this machine (hundredfold.yaml says how to use the real services):');
  for (const command of listNextCommands(folder)) say(`  ${command}`);
  return EXIT.ok;
}

/** True if it was written; false if the name exists already, even as a dangling link. */
async function writeIfAbsent(path: string, content: Uint8Array): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (cause) {
    const code = readErrno(cause);
    if (code === null) throw cause;
    if (code === 'EEXIST' && (cause as NodeJS.ErrnoException).path === path) return false;
    throw new HundredfoldError(
      'CONFIG_NOT_WRITTEN',
      `cannot write ${path} (${code})`,
      'Choose a folder that you can write to, or one that does not exist yet.',
      { cause },
    );
  }
}

function listNextCommands(folder: string): string[] {
  const run = `${chooseTyped(resolve(folder))} run manifest.csv --services local`;
  return resolve(folder) === process.cwd() ? [run] : [`cd ${quoteWord(folder)}`, run];
}
