/**
 * Runs b2bTools for one job: an empty folder, the engine's own command in a process forked from a warm one, its output
 * files. The result is the same as of a separate run of the command.
 */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../../problem.ts';
import {
  CONTENT_TYPES,
  type EngineContext,
  type EngineOutcome,
  type Output,
  type OutputName,
} from '../../engine.ts';
import { BoundedText } from '../process.ts';
import { removeFolder, workFolder } from '../work-folder.ts';
import { commandOf, inputText, type Command, type PredictionJob } from './command.ts';
import type { Forked, WarmB2bTools } from './fork-server.ts';

/** A third of a gigabyte is shared by all jobs; 3,000 residues need as much again. */
const MEMORY_MB = 2_000;
const LOG = 'engine.log';

export async function runB2bTools(
  b2bTools: WarmB2bTools,
  job: PredictionJob,
  context: EngineContext,
  command: Command = commandOf(job),
): Promise<EngineOutcome> {
  const folder = workFolder();
  try {
    await writeFile(join(folder, command.inputFile), inputText(job));
    context.progress(30, 'running predictions');
    const { program, args } = command;
    const log = join(folder, LOG);
    const ended = await b2bTools.run({ program, args, folder, log, memoryMb: MEMORY_MB }, context);
    // Hides the paths of this machine.
    const printed = (await readLog(log))
      .replaceAll(`${folder}/`, '')
      .replaceAll(b2bTools.folder, '$B2BTOOLS');
    return await outcomeOf(folder, command, ended, printed);
  } finally {
    await removeFolder(folder);
  }
}

async function outcomeOf(
  folder: string,
  command: Command,
  ended: Forked,
  log: string,
): Promise<EngineOutcome> {
  const failed = (message: string): EngineOutcome => ({ ok: false, message, log });
  if (ended.overMemory) {
    return failed(`b2bTools was stopped at its memory limit of ${String(MEMORY_MB)} MB.`);
  }
  // Files of a failed command are not a result, even if they exist.
  if (ended.code !== 0) return failed(lastError(log) ?? howItEnded(ended));
  const outputs = await readOutputs(folder, command);
  const missing = Object.values(command.outputs).length - outputs.length;
  if (missing > 0)
    return failed(`b2bTools ended well and left ${String(missing)} files unwritten.`);
  return { ok: true, outputs, log };
}

/** The engine's own message, the last of `… ERROR] An unexpected error of type 'ValueError' occurred …`. */
function lastError(log: string): string | null {
  return [...log.matchAll(/^.* ERROR\] (.*)$/gm)].at(-1)?.[1] ?? null;
}

function howItEnded({ code, signal }: Forked): string {
  return code === null
    ? `b2bTools was ended by ${signal ?? 'a signal'}.`
    : `b2bTools ended with ${String(code)}.`;
}

async function readLog(path: string): Promise<string> {
  const text = new BoundedText();
  const file = await unlessAbsent(open(path));
  // Killed before it printed anything.
  if (file === null) return '';
  for await (const bytes of file.createReadStream()) text.add(bytes as Buffer);
  return text.toString();
}

async function readOutputs(folder: string, { outputs }: Command): Promise<Output[]> {
  const files = Object.entries(outputs) as [OutputName, string][];
  const read = files.map(async ([name, file]): Promise<Output[]> => {
    const body = await unlessAbsent(readFile(join(folder, file)));
    return body === null ? [] : [{ name, contentType: CONTENT_TYPES[name], body }];
  });
  return (await Promise.all(read)).flat();
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null;
    throw error;
  }
}
