/** Command lines of b2bTools and ShiftCrypt for a job of the prediction service. Pure. */
import { DEFAULT_PREDICTORS } from '../../../contract.ts';
import type { OutputName, SequenceJob, AlignmentJob, ShiftsJob } from '../../engine.ts';
import type { ForkedProgram } from './fork-server.ts';

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
