/**
 * Predictions of the right form: the keys, the residues in order, null for gaps, as in the recorded outputs. The
 * numbers are meaningless.
 */
import { DEFAULT_PREDICTORS } from '../../domain/item.ts';
import { resultIds, type FastaRecord } from '../fasta.ts';
import { readChains } from '../star.ts';
import type { ShiftsJob } from './engine.ts';
import { predictorKeys } from './predictor-keys.ts';
import { syntheticValues } from './synthetic-numbers.ts';

type Cell = string | number | null;
type Track = Record<string, (number | null)[]>;

function tracks(id: string, residues: readonly string[], keys: readonly string[]): Track {
  return Object.fromEntries(
    keys.map((key) => {
      const values = syntheticValues(`${id} ${residues.join('')} ${key}`, residues.length);
      return [key, residues.map((residue, n) => (residue === '-' ? null : (values[n] ?? 0)))];
    }),
  );
}

interface Made {
  readonly id: string;
  readonly residues: readonly string[];
  readonly tracks: Track;
}

function make(records: readonly FastaRecord[], keys: readonly string[]): Made[] {
  const ids = resultIds(records.map((record) => record.header));
  return records.map(({ residues }, n) => {
    const id = ids[n] ?? '';
    return { id, residues: [...residues], tracks: tracks(id, [...residues], keys) };
  });
}

function table(made: readonly Made[], keys: readonly string[]): Cell[][] {
  const rows = made.flatMap(({ id, residues, tracks: values }) =>
    residues.map((residue, n): Cell[] => [
      id,
      residue,
      n,
      ...keys.map((key) => values[key]?.[n] ?? null),
      'synthetic',
    ]),
  );
  return [['sequence_id', 'residue', 'residue_index', ...keys, 'note'], ...rows];
}

function metadataTable(made: readonly Made[], label: string): Cell[][] {
  const rows = made.map(({ id, residues }): Cell[] => [
    id,
    residues.filter((residue) => residue !== '-').length,
    residues.length,
    label,
  ]);
  return [['sequence_id', 'length', 'aligned_length', 'note'], ...rows];
}

export function syntheticSequences(
  records: readonly FastaRecord[],
  predictors: readonly string[],
  label: string,
): { result: unknown; csv: Cell[][]; metadata: Cell[][] } {
  const keys = predictorKeys(predictors);
  const made = make(records, keys);
  const proteins = Object.fromEntries(
    made.map(({ id, residues, tracks: values }) => [id, { seq: residues, ...values }]),
  );
  return {
    result: { proteins, metadata: { synthetic: true, note: label, mode: 'Single Sequence' } },
    csv: table(made, keys),
    metadata: metadataTable(made, label),
  };
}

export function syntheticAlignment(
  records: readonly FastaRecord[],
  label: string,
): { result: unknown; csv: Cell[][]; metadata: Cell[][]; distributions: unknown } {
  const keys = predictorKeys(DEFAULT_PREDICTORS);
  const made = make(records, keys);
  const metadata = { synthetic: true, note: label, mode: 'MSA' };
  return {
    result: {
      proteins: Object.fromEntries(made.map(({ id, tracks: values }) => [id, values])),
      sequences: Object.fromEntries(made.map(({ id, residues }) => [id, residues])),
      metadata,
    },
    csv: table(made, keys),
    metadata: metadataTable(made, label),
    distributions: { results: distributions(made, keys), metadata },
  };
}

/** Median, quartiles and extremes of each column; null if every sequence has a gap. */
function distributions(made: readonly Made[], keys: readonly string[]): Record<string, unknown> {
  const columns = made[0]?.residues.length ?? 0;
  const quantile = (key: string, part: number): (number | null)[] =>
    Array.from({ length: columns }, (_, n) => {
      const values = made
        .map((entry) => entry.tracks[key]?.[n] ?? null)
        .filter((value) => value !== null)
        .sort((a, b) => a - b);
      return values[Math.round(part * (values.length - 1))] ?? null;
    });
  return Object.fromEntries(
    keys.map((key) => [
      key,
      {
        median: quantile(key, 0.5),
        thirdQuartile: quantile(key, 0.75),
        firstQuartile: quantile(key, 0.25),
        topOutlier: quantile(key, 1),
        bottomOutlier: quantile(key, 0),
      },
    ]),
  );
}

/** Null if the text has no residues. */
export function syntheticShifts(
  job: ShiftsJob,
  label: string,
): { result: unknown; csv: Cell[][] } | null {
  const chains = readChains(job.text);
  if (chains.length === 0) return null;
  const made = chains.map(({ chainCode, residues, seqCodes }) => {
    const seed = `${chainCode} ${residues.join('')} ${job.modelClass}`;
    return {
      ID_file: 'synthetic',
      note: label,
      sequence: residues,
      seqCodes: job.originalNumbering ? seqCodes : residues.map((_, n) => n + 1),
      // The engine writes them as strings.
      shiftCrypt: syntheticValues(seed, residues.length).map((value) => value.toFixed(3)),
      chainCode,
    };
  });
  const rows = made.flatMap(({ chainCode, sequence, seqCodes, shiftCrypt }) =>
    sequence.map((residue, n): Cell[] => [
      chainCode,
      seqCodes[n] ?? null,
      residue,
      shiftCrypt[n] ?? null,
    ]),
  );
  const header = ['chainCode', 'seqCode', 'residue', 'shiftCrypt', 'note'];
  return { result: made, csv: [header, ...rows.map((row): Cell[] => [...row, 'synthetic'])] };
}
