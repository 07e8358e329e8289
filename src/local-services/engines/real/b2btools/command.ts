/** A job of the prediction service as a command line of b2bTools or ShiftCrypt. Pure. */
import { DEFAULT_PREDICTORS } from '../../../../domain/item.ts';
import type { OutputName, SequenceJob, AlignmentJob, ShiftsJob } from '../../engine.ts';
import type { ForkedProgram } from './fork-server.ts';

export type PredictionJob = SequenceJob | AlignmentJob | ShiftsJob;

export interface Command extends Pick<ForkedProgram, 'program' | 'args'> {
  readonly inputFile: string;
  /** What the command writes when it does well, by its name in its folder. */
  readonly outputs: Readonly<Partial<Record<OutputName, string>>>;
}

const FILES = {
  result: 'result.json',
  csv: 'result.csv',
  metadata: 'metadata.csv',
  distributions: 'distributions.json',
} as const;

/** ShiftCrypt tells the formats apart by the extension alone. */
const SHIFT_FILES = { nef: 'shifts.nef', 'nmr-star': 'shifts.str' } as const;

export function commandOf(job: PredictionJob): Command {
  return job.kind === 'shifts' ? shiftcrypt(job) : b2bTools(job);
}

function b2bTools(job: SequenceJob | AlignmentJob): Command {
  const { distributions, ...outputs } = FILES;
  const inputFile = 'input.fasta';
  // DynaMine always runs; the flag says so in the engine's own log.
  const flags = (predictors: readonly string[]): string[] =>
    [...new Set(['dynamine', ...predictors])].map((name) => `--${name}`);
  // prettier-ignore
  const files = ['-i', inputFile, '-o', outputs.result, '-t', outputs.csv, '-m', outputs.metadata];
  if (job.kind === 'sequence') {
    return { program: 'b2bTools', inputFile, outputs, args: [...files, ...flags(job.predictors)] };
  }
  const args = ['--mode', 'msa', ...files, '-dj', distributions, ...flags(DEFAULT_PREDICTORS)];
  return { program: 'b2bTools', inputFile, outputs: FILES, args };
}

function shiftcrypt({ format, modelClass, originalNumbering }: ShiftsJob): Command {
  const inputFile = SHIFT_FILES[format ?? 'nmr-star'];
  const { result, csv } = FILES;
  const numbering = originalNumbering ? [] : ['--no_original_numbering'];
  const args = ['-i', inputFile, '-m', modelClass, '-o', result, '-t', csv, ...numbering];
  return { program: 'shiftcrypt', inputFile, outputs: { result, csv }, args };
}

/** The text of the input file: the engine takes a byte order mark for part of the first line. */
export function inputText(job: PredictionJob): string {
  const text = job.kind === 'shifts' ? job.text : job.fasta;
  return `${text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')}\n`;
}
