/** b2bTools and ShiftCrypt: their command lines, one process for one job in an empty folder, its output files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_PREDICTORS } from '../contract.ts';
import { hasErrno } from '../problem.ts';
import {
  createFailure,
  createMachineFailure,
  type AlignmentJob,
  type EngineContext,
  type EngineOutcome,
  type Output,
  type OutputName,
  type SequenceJob,
  type ShiftsJob,
} from './engine.ts';
import type { Installed } from './install.ts';
import { findMachineFault, runInWorkFolder, runProgram, type Ended } from './process.ts';

export type PredictionJob = SequenceJob | AlignmentJob | ShiftsJob;

export async function runB2bTools(
  installed: Installed,
  job: PredictionJob,
  context: EngineContext,
): Promise<EngineOutcome> {
  if (job.kind === 'shifts' && job.format === null)
    return createFailure(
      'The text is neither NEF nor NMR-STAR: no "data_" line, or no tag of either.',
    );
  const command = buildCommand(job);
  return runInWorkFolder(async (folder) => {
    await writeFile(join(folder, command.inputFile), formatInput(job));
    context.progress(30, 'running predictions');
    const bin = join(installed.folder, 'bin');
    const program = {
      command: join(bin, command.program),
      args: command.args,
      environment: { PATH: `${bin}:/usr/bin:/bin`, PYTHONWARNINGS: 'ignore' },
      folder,
    };
    const ended = await runProgram(program, context);
    // Hides the paths of this machine.
    const log = ended.output.replaceAll(`${folder}/`, '').replaceAll(installed.folder, '$B2BTOOLS');
    return await readOutcome(folder, command, ended, log);
  });
}

async function readOutcome(
  folder: string,
  command: Command,
  ended: Ended,
  log: string,
): Promise<EngineOutcome> {
  const { code, signal } = ended;
  const fault = findMachineFault(ended);
  if (fault !== null) return createMachineFailure(fault, log);
  const failed = (message: string): EngineOutcome => ({ ok: false, message, log });
  // The engine's own message, the last of `… ERROR] An unexpected error of type 'ValueError' occurred …`.
  const said = [...log.matchAll(/^.* ERROR\] (.*)$/gm)].at(-1)?.[1];
  // Files of a failed command are not a result, even if they exist.
  if (code !== 0) return failed(said ?? `b2bTools ended with ${String(code ?? signal)}.`);
  const outputs = await readOutputs(folder, command);
  const missing = Object.values(command.outputs).length - outputs.length;
  if (missing > 0)
    return failed(`b2bTools ended well and left ${String(missing)} files unwritten.`);
  return { ok: true, outputs, log };
}

async function readOutputs(folder: string, { outputs }: Command): Promise<Output[]> {
  const files = Object.entries(outputs) as [OutputName, string][];
  const read = files.map(async ([name, file]): Promise<Output[]> => {
    try {
      const body = await readFile(join(folder, file));
      return [{ name, body }];
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return [];
      throw error;
    }
  });
  return (await Promise.all(read)).flat();
}

interface Command {
  /** In `bin/` of the installation. */
  readonly program: 'b2bTools' | 'shiftcrypt';
  readonly args: readonly string[];
  readonly inputFile: string;
  /** The files that the command writes on success, by their names in its folder. */
  readonly outputs: Readonly<Partial<Record<OutputName, string>>>;
}

const INPUT = 'input.fasta';
const RESULT = { result: 'result.json', csv: 'result.csv' };
const TABLES = { ...RESULT, metadata: 'metadata.csv' };
const ALL = { ...TABLES, distributions: 'distributions.json' };

/** ShiftCrypt distinguishes the formats only by extension. */
const SHIFT_FILES = { nef: 'shifts.nef', 'nmr-star': 'shifts.str' } as const;

export function buildCommand(job: PredictionJob): Command {
  const files = ['-i', INPUT, '-o', ALL.result, '-t', ALL.csv, '-m', ALL.metadata];
  // DynaMine always runs; its flag makes that visible in the engine's log.
  const flags = (names: readonly string[]): string[] =>
    [...new Set(['dynamine', ...names])].map((name) => `--${name}`);
  if (job.kind === 'sequence') {
    const args = [...files, ...flags(job.predictors)];
    return { program: 'b2bTools', inputFile: INPUT, outputs: TABLES, args };
  }
  if (job.kind === 'alignment') {
    const more = ['-dj', ALL.distributions];
    // The submission of an alignment names no predictors (contract 4.2).
    const args = ['--mode', 'msa', ...files, ...more, ...flags(DEFAULT_PREDICTORS)];
    return { program: 'b2bTools', inputFile: INPUT, outputs: ALL, args };
  }
  const { format, modelClass, originalNumbering } = job;
  const inputFile = SHIFT_FILES[format ?? 'nmr-star'];
  const own = ['-i', inputFile, '-m', modelClass, '-o', RESULT.result, '-t', RESULT.csv];
  const args = originalNumbering ? own : [...own, '--no_original_numbering'];
  return { program: 'shiftcrypt', inputFile, outputs: RESULT, args };
}

/** The text of the input file: the engine reads a byte order mark as part of the first line. */
export function formatInput(job: PredictionJob): string {
  const text = job.kind === 'shifts' ? job.text : job.fasta;
  return `${text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')}\n`;
}
