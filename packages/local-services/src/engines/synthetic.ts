/**
 * The synthetic engine: payloads of the right form without meaning, for tests and benchmarks. Deterministic from the
 * input, and labelled in every payload, so that it cannot be taken for a real result.
 */
import { DEFAULT_PREDICTORS } from '../contract.ts';
import { parseFasta, resultIds, type FastaRecord } from '../fasta.ts';
import { readChains } from '../star.ts';
import { predictorKeys } from './canonical.ts';
import {
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
  type ShiftsJob,
  pace,
} from './engine.ts';
import { csvField } from './recorded.ts';
import { SYNTHETIC, syntheticMolecule, syntheticValues } from './synthetic-molecule.ts';

export class SyntheticEngine implements Engine {
  readonly name = 'synthetic';
  readonly version = '1';
  readonly #jobMs: (job: EngineJob) => number;

  constructor(jobMs: (job: EngineJob) => number) {
    this.#jobMs = jobMs;
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await pace(this.#jobMs(job), context);
    return outcomeOf(job);
  }
}

function outcomeOf(job: EngineJob): EngineOutcome {
  const done = (...outputs: Output[]): EngineOutcome => ({ ok: true, outputs, log: SYNTHETIC });
  switch (job.kind) {
    case 'molecule':
      return done(json('result', syntheticMolecule(job)));
    case 'sequence': {
      const made = syntheticSequences(parseFasta(job.fasta).records, job.predictors);
      return done(
        json('result', made.result),
        csv('csv', made.csv),
        csv('metadata', made.metadata),
      );
    }
    case 'alignment': {
      const made = syntheticAlignment(parseFasta(job.fasta).records);
      return done(
        json('result', made.result),
        csv('csv', made.csv),
        csv('metadata', made.metadata),
        json('distributions', made.distributions),
      );
    }
    case 'shifts': {
      const made = syntheticShifts(job);
      if (made === null) {
        const message =
          'The text names no residues: it is neither NEF nor NMR-STAR with a sequence.';
        return { ok: false, message, log: message };
      }
      return done(json('result', made.result), csv('csv', made.csv));
    }
  }
}

function json(name: Output['name'], value: unknown): Output {
  return { name, contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function csv(name: Output['name'], rows: readonly (readonly (string | number | null)[])[]): Output {
  const body = Buffer.from(
    `${rows.map((row) => row.map((cell) => csvField(String(cell ?? ''))).join(',')).join('\n')}\n`,
  );
  return { name, contentType: 'text/csv; charset=utf-8', body };
}

/** Predictions: the keys, the residues in order, null for gaps, as in the recorded outputs. */
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

function metadataTable(made: readonly Made[]): Cell[][] {
  const rows = made.map(({ id, residues }): Cell[] => [
    id,
    residues.filter((residue) => residue !== '-').length,
    residues.length,
    SYNTHETIC,
  ]);
  return [['sequence_id', 'length', 'aligned_length', 'note'], ...rows];
}

function syntheticSequences(
  records: readonly FastaRecord[],
  predictors: readonly string[],
): { result: unknown; csv: Cell[][]; metadata: Cell[][] } {
  const keys = predictorKeys(predictors);
  const made = make(records, keys);
  const proteins = Object.fromEntries(
    made.map(({ id, residues, tracks: values }) => [id, { seq: residues, ...values }]),
  );
  return {
    result: { proteins, metadata: { synthetic: true, note: SYNTHETIC, mode: 'Single Sequence' } },
    csv: table(made, keys),
    metadata: metadataTable(made),
  };
}

function syntheticAlignment(records: readonly FastaRecord[]): {
  result: unknown;
  csv: Cell[][];
  metadata: Cell[][];
  distributions: unknown;
} {
  const keys = predictorKeys(DEFAULT_PREDICTORS);
  const made = make(records, keys);
  const metadata = { synthetic: true, note: SYNTHETIC, mode: 'MSA' };
  return {
    result: {
      proteins: Object.fromEntries(made.map(({ id, tracks: values }) => [id, values])),
      sequences: Object.fromEntries(made.map(({ id, residues }) => [id, residues])),
      metadata,
    },
    csv: table(made, keys),
    metadata: metadataTable(made),
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
function syntheticShifts(job: ShiftsJob): { result: unknown; csv: Cell[][] } | null {
  const chains = readChains(job.text);
  if (chains.length === 0) return null;
  const made = chains.map(({ chainCode, residues, seqCodes }) => {
    const seed = `${chainCode} ${residues.join('')} ${job.modelClass}`;
    return {
      ID_file: 'synthetic',
      note: SYNTHETIC,
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
