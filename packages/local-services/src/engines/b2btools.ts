/**
 * b2bTools and ShiftCrypt: their command lines, a process forked from a warm one for each job in an empty folder, its
 * output files. The result is the same as of a separate run of the command.
 */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_PREDICTORS } from '../contract.ts';
import { hasErrno } from '../problem.ts';
import {
  CONTENT_TYPES,
  failure,
  type AlignmentJob,
  type EngineContext,
  type EngineOutcome,
  type Output,
  type OutputName,
  type SequenceJob,
  type ShiftsJob,
} from './engine.ts';
import type { Forked, ForkedProgram, WarmB2bTools } from './fork-server.ts';
import { BoundedText, makeWorkFolder, removeFolder } from './process.ts';

/** A third of a gigabyte is shared by all jobs; 3,000 residues need as much again. */
const MEMORY_MB = 2_000;
const LOG = 'engine.log';

export async function runB2bTools(
  b2bTools: WarmB2bTools,
  job: PredictionJob,
  context: EngineContext,
  command: Command = commandOf(job),
): Promise<EngineOutcome> {
  if (job.kind === 'shifts' && job.format === null)
    return failure('The text is neither NEF nor NMR-STAR: no "data_" line, or no tag of either.');
  const folder = makeWorkFolder();
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

export type PredictionJob = SequenceJob | AlignmentJob | ShiftsJob;

export interface Command extends Pick<ForkedProgram, 'program' | 'args'> {
  readonly inputFile: string;
  /** The files that the command writes on success, by their names in its folder. */
  readonly outputs: Readonly<Partial<Record<OutputName, string>>>;
}

const FILES = {
  result: 'result.json',
  csv: 'result.csv',
  metadata: 'metadata.csv',
  distributions: 'distributions.json',
} as const;

/** ShiftCrypt distinguishes the formats only by extension. */
const SHIFT_FILES = { nef: 'shifts.nef', 'nmr-star': 'shifts.str' } as const;

export function commandOf(job: PredictionJob): Command {
  switch (job.kind) {
    case 'sequence':
      return sequenceCommand(job.predictors);
    case 'alignment':
      // The submission of an alignment names no predictors (contract 4.2).
      return alignmentCommand(DEFAULT_PREDICTORS);
    case 'shifts':
      return shiftcrypt(job);
  }
}

const INPUT = 'input.fasta';

function sequenceCommand(predictors: readonly string[]): Command {
  const { distributions: _, ...outputs } = FILES;
  const args = [...files(outputs), ...flags(predictors)];
  return { program: 'b2bTools', inputFile: INPUT, outputs, args };
}

function alignmentCommand(predictors: readonly string[]): Command {
  const distributions = ['-dj', FILES.distributions];
  const args = ['--mode', 'msa', ...files(FILES), ...distributions, ...flags(predictors)];
  return { program: 'b2bTools', inputFile: INPUT, outputs: FILES, args };
}

function files(outputs: Omit<typeof FILES, 'distributions'>): string[] {
  return ['-i', INPUT, '-o', outputs.result, '-t', outputs.csv, '-m', outputs.metadata];
}

/** DynaMine always runs; its flag makes that visible in the engine's log. */
function flags(predictors: readonly string[]): string[] {
  return [...new Set(['dynamine', ...predictors])].map((name) => `--${name}`);
}

function shiftcrypt({ format, modelClass, originalNumbering }: ShiftsJob): Command {
  const inputFile = SHIFT_FILES[format ?? 'nmr-star'];
  const { result, csv } = FILES;
  const numbering = originalNumbering ? [] : ['--no_original_numbering'];
  const args = ['-i', inputFile, '-m', modelClass, '-o', result, '-t', csv, ...numbering];
  return { program: 'shiftcrypt', inputFile, outputs: { result, csv }, args };
}

/** The text of the input file: the engine reads a byte order mark as part of the first line. */
export function inputText(job: PredictionJob): string {
  const text = job.kind === 'shifts' ? job.text : job.fasta;
  return `${text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')}\n`;
}
