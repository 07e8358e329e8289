/**
 * The checks that b2bTools lacks, before and after it runs: what it gets silently wrong is a failure here. Pure.
 * What is refused at submission (an alignment of one sequence, unequal lengths) does not come this far.
 */
import { DEFAULT_PREDICTORS, type Predictor } from '../../../../domain/item.ts';
import { parseFasta, type FastaRecord } from '../../../fasta.ts';
import type { AlignmentJob, SequenceJob } from '../../engine.ts';
import { predictorKeys } from '../../predictor-keys.ts';
import type { PredictionJob } from './command.ts';

/** Residues that a predictor takes. */
const LENGTHS: Readonly<Partial<Record<Predictor, readonly [least: number, most: number]>>> = {
  psper: [20, 3000],
};
const LEAST = 5;

/** Why the job cannot be run; null when it can. */
export function whyNot(job: PredictionJob): string | null {
  switch (job.kind) {
    case 'sequence':
      return (
        records(job)
          .map((record, n) => unfit(record, n, job.predictors))
          .find(Boolean) ?? null
      );
    case 'alignment':
      return records(job).map(nameless).find(Boolean) ?? repeated(records(job));
    case 'shifts':
      return job.format === null
        ? 'The text is neither NEF nor NMR-STAR: it lacks "data_" or the tags of both.'
        : null;
  }
}

function records(job: SequenceJob | AlignmentJob): FastaRecord[] {
  return parseFasta(job.fasta).records;
}

/** The engine drops a record without a name and says nothing. */
function nameless({ header }: FastaRecord, n: number): string | null {
  return header.trim() === '' ? `Record ${String(n + 1)} has an empty header.` : null;
}

function unfit(record: FastaRecord, n: number, predictors: readonly string[]): string | null {
  const length = record.residues.length;
  const wrong = (least: number, most: string, who: string): string =>
    `Sequence "${record.header.trim()}" has ${String(length)} residues; ${who} takes ${String(least)} ${most}.`;
  if (nameless(record, n) !== null) return nameless(record, n);
  if (length < LEAST) return wrong(LEAST, 'or more', 'the service');
  for (const [predictor, [least, most]] of Object.entries(LENGTHS)) {
    if (predictors.includes(predictor) && (length < least || length > most))
      return wrong(least, `to ${String(most)}`, predictor);
  }
  return null;
}

/** The engine renames the second of two, and whoever asks for it by its name gets the first. */
function repeated(all: readonly FastaRecord[]): string | null {
  const headers = all.map(({ header }) => header.trim());
  const twice = headers.find((header, n) => headers.indexOf(header) !== n);
  return twice === undefined ? null : `Two sequences of the alignment are named "${twice}".`;
}

/** What is wrong with the result of a command that ended well; null when nothing is. */
export function whatIsWrong(job: PredictionJob, result: unknown): string | null {
  if (job.kind === 'shifts') {
    return Array.isArray(result) && result.length > 0 ? null : 'It holds no chain.';
  }
  // Written by the engine; what is missing is found below.
  const { proteins = {} } = result as { proteins?: Record<string, Record<string, unknown>> };
  const [found, given] = [Object.keys(proteins).length, records(job).length];
  if (found !== given) return `It holds ${String(found)} of ${String(given)} sequences.`;
  const wanted = predictorKeys(job.kind === 'sequence' ? job.predictors : DEFAULT_PREDICTORS);
  for (const [id, protein] of Object.entries(proteins)) {
    const missing = wanted.filter((key) => !Array.isArray(protein[key]));
    if (missing.length > 0) return `It lacks ${missing.join(', ')} for "${id}".`;
  }
  return null;
}
