/**
 * The synthetic engine: payloads of the right form without meaning, for tests and benchmarks. Deterministic from the
 * input, and labelled in every payload, so that it cannot be taken for a real result.
 */
import { DEFAULT_PREDICTORS } from '../contract.ts';
import { parseFasta, resultIds, type FastaRecord } from '../fasta.ts';
import { readChains } from '../star.ts';
import {
  CONTENT_TYPES,
  failure,
  pace,
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
  type ShiftsJob,
} from './engine.ts';
import { csvField, predictorKeys } from './recorded.ts';
import { makeSyntheticMolecule, SYNTHETIC, syntheticValues } from './synthetic-molecule.ts';

export class SyntheticEngine implements Engine {
  readonly name = 'synthetic';
  readonly version = '1';
  readonly #jobMs: (job: EngineJob) => number;

  constructor(jobMs: (job: EngineJob) => number) {
    this.#jobMs = jobMs;
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await pace(this.#jobMs(job), context);
    return await outcomeOf(job);
  }
}

async function outcomeOf(job: EngineJob): Promise<EngineOutcome> {
  const made = await makeOutputs(job);
  return typeof made === 'string' ? failure(made) : { ok: true, outputs: made, log: SYNTHETIC };
}

/** The outputs, or why there are none. */
async function makeOutputs(job: EngineJob): Promise<Output[] | string> {
  switch (job.kind) {
    case 'molecule': {
      const files = await makeSyntheticMolecule(job);
      return files ? [json('result', files)] : 'The text is not a molecule with atoms.';
    }
    case 'sequence': {
      const made = syntheticSequences(parseFasta(job.fasta).records, job.predictors);
      const { result, csv: rows, metadata } = made;
      return [json('result', result), csv('csv', rows), csv('metadata', metadata)];
    }
    case 'alignment': {
      const made = syntheticAlignment(parseFasta(job.fasta).records);
      const { result, csv: rows, metadata, distributions: values } = made;
      const tables = [csv('csv', rows), csv('metadata', metadata)];
      return [json('result', result), ...tables, json('distributions', values)];
    }
    case 'shifts': {
      const made = syntheticShifts(job);
      if (made !== null) return [json('result', made.result), csv('csv', made.csv)];
      return 'The text names no residues: it is neither NEF nor NMR-STAR with a sequence.';
    }
  }
}

function json(name: Output['name'], value: unknown): Output {
  return { name, contentType: CONTENT_TYPES[name], body: Buffer.from(JSON.stringify(value)) };
}

function csv(name: Output['name'], rows: readonly (readonly Cell[])[]): Output {
  const lines = rows.map((row) => row.map((cell) => csvField(String(cell ?? ''))).join(','));
  return { name, contentType: CONTENT_TYPES[name], body: Buffer.from(`${lines.join('\n')}\n`) };
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
