/**
 * The checks that b2bTools lacks, before it runs and of its successes: silent errors become failures here. An alignment
 * of one sequence or of unequal lengths was refused at submission. Pure.
 */
import { DEFAULT_PREDICTORS } from '../../../contract.ts';
import { parseFasta, type FastaRecord } from '../../../fasta.ts';
import type { AlignmentJob, SequenceJob } from '../../engine.ts';
import { predictorKeys } from '../../recorded.ts';
import type { PredictionJob } from './command.ts';

interface Lengths {
  readonly least: number;
  readonly most: number;
}

/** Numbers of residues that b2bTools accepts, and those that PSPer accepts. */
const ALL: Lengths = { least: 5, most: Number.POSITIVE_INFINITY };
const PSPER: Lengths = { least: 20, most: 3000 };

/** Why the job cannot be run; null if it can. */
export function whyUnfit(job: PredictionJob): string | null {
  switch (job.kind) {
    case 'sequence':
      return nameless(job) ?? wrongLength(job);
    case 'alignment':
      return nameless(job) ?? repeatedName(job);
    case 'shifts':
      return job.format === null
        ? 'The text is neither NEF nor NMR-STAR: it has no "data_" line, or no tag of either.'
        : null;
  }
}

/** The name as users wrote it. */
function nameOf({ header }: FastaRecord): string {
  return header.trim();
}

function records(job: SequenceJob | AlignmentJob): FastaRecord[] {
  return parseFasta(job.fasta).records;
}

/** The engine silently drops a record without a name. */
function nameless(job: SequenceJob | AlignmentJob): string | null {
  const n = records(job).findIndex((record) => nameOf(record) === '');
  return n < 0 ? null : `Record ${String(n + 1)} has an empty header.`;
}

function wrongLength(job: SequenceJob): string | null {
  const [who, { least, most }] = job.predictors.includes('psper')
    ? (['psper', PSPER] as const)
    : (['b2bTools', ALL] as const);
  const record = records(job).find(({ residues: { length } }) => length < least || length > most);
  if (record === undefined) return null;
  const range = Number.isFinite(most)
    ? `${String(least)} to ${String(most)}`
    : `at least ${String(least)}`;
  return `Sequence "${nameOf(record)}" has ${String(record.residues.length)} residues; ${who} takes ${range}.`;
}

/** The engine renames the second of two, so its name would return the values of the first. */
function repeatedName(job: AlignmentJob): string | null {
  const names = records(job).map(nameOf);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  return twice === undefined ? null : `Two sequences of the alignment are named "${twice}".`;
}

/** Why a result is not the requested one; null if there is no objection. */
export function objectionTo(job: PredictionJob, result: string): string | null {
  let prediction: unknown;
  try {
    prediction = JSON.parse(result);
  } catch (error) {
    // NaN and Infinity, which Python writes, are not JSON.
    return `The result is not JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
  if (job.kind !== 'shifts') return incomplete(job, prediction);
  return Array.isArray(prediction) && prediction.length > 0 ? null : 'The result has no chain.';
}

/** The engine leaves out sequences and keys that it could not compute. */
function incomplete(job: SequenceJob | AlignmentJob, prediction: unknown): string | null {
  // Written by the engine; missing parts are detected here.
  const { proteins = {} } = prediction as { proteins?: Record<string, Record<string, unknown>> };
  const [found, given] = [Object.keys(proteins).length, records(job).length];
  if (found !== given) return `The result has ${String(found)} of ${String(given)} sequences.`;
  const keys = predictorKeys(job.kind === 'sequence' ? job.predictors : DEFAULT_PREDICTORS);
  for (const [id, protein] of Object.entries(proteins)) {
    const missing = keys.filter((key) => !Array.isArray(protein[key]));
    if (missing.length > 0) return `The result lacks ${missing.join(', ')} of "${id}".`;
  }
  return null;
}
