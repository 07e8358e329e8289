/**
 * The synthetic engine: payloads of the right form without meaning, for tests and benchmarks. Deterministic from the
 * input, and labelled in every payload, so that it cannot be taken for a real result.
 */
import { DEFAULT_PREDICTORS } from '../contract.ts';
import { parseFasta, assignResultIds, type FastaRecord } from '../fasta.ts';
import { readChains } from '../star.ts';
import {
  createFailure,
  paceJob,
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
  type OutputName,
  type ShiftsJob,
} from './engine.ts';
import { formatCsvField, listPredictorKeys } from './recorded.ts';
import { makeSyntheticMolecule, SYNTHETIC, generateValues } from './synthetic-molecule.ts';

export class SyntheticEngine implements Engine {
  readonly name = 'synthetic';
  readonly version = '1';
  readonly #jobMs: (job: EngineJob) => number;

  constructor(jobMs: (job: EngineJob) => number) {
    this.#jobMs = jobMs;
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await paceJob(this.#jobMs(job), context);
    return await runSynthetic(job);
  }
}

async function runSynthetic(job: EngineJob): Promise<EngineOutcome> {
  const made = await makeOutputs(job);
  return typeof made === 'string'
    ? createFailure(made)
    : { ok: true, outputs: made, log: SYNTHETIC };
}

/** The outputs, or why there are none. */
async function makeOutputs(job: EngineJob): Promise<Output[] | string> {
  switch (job.kind) {
    case 'molecule': {
      const files = await makeSyntheticMolecule(job);
      return files ? [createJsonOutput('result', files)] : 'The text is not a molecule with atoms.';
    }
    case 'sequence':
      return makeSequences(parseFasta(job.fasta).records, listPredictorKeys(job.predictors));
    case 'alignment':
      return makeAlignment(parseFasta(job.fasta).records, listPredictorKeys(DEFAULT_PREDICTORS));
    case 'shifts':
      return makeShifts(job);
  }
}

function createJsonOutput(name: OutputName, value: unknown): Output {
  return { name, body: Buffer.from(JSON.stringify(value)) };
}

type Cell = string | number | null;

function createCsvOutput(name: OutputName, rows: readonly (readonly Cell[])[]): Output {
  const lines = rows.map((row) => row.map((cell) => formatCsvField(String(cell ?? ''))).join(','));
  return { name, body: Buffer.from(`${lines.join('\n')}\n`) };
}

/** A protein with a value for each key and residue, null for gaps, as in the recorded outputs. */
interface Protein {
  readonly id: string;
  readonly residues: readonly string[];
  readonly tracks: Readonly<Record<string, readonly (number | null)[]>>;
}

function makeProteins(records: readonly FastaRecord[], keys: readonly string[]): Protein[] {
  const ids = assignResultIds(records.map((record) => record.header));
  return records.map(({ residues }, n) => {
    const id = ids[n] ?? '';
    const tracks = keys.map((key) => {
      const values = generateValues(`${id} ${residues} ${key}`, residues.length);
      return [key, values.map((value, at) => (residues[at] === '-' ? null : value))] as const;
    });
    return { id, residues: [...residues], tracks: Object.fromEntries(tracks) };
  });
}

function makeTables(proteins: readonly Protein[], keys: readonly string[]): Output[] {
  const rows = proteins.flatMap(({ id, residues, tracks }) =>
    residues.map((residue, n): Cell[] => {
      const values = keys.map((key) => tracks[key]?.[n] ?? null);
      return [id, residue, n, ...values, 'synthetic'];
    }),
  );
  const facts = proteins.map(({ id, residues }): Cell[] => {
    const length = residues.filter((residue) => residue !== '-').length;
    return [id, length, residues.length, SYNTHETIC];
  });
  return [
    createCsvOutput('csv', [['sequence_id', 'residue', 'residue_index', ...keys, 'note'], ...rows]),
    createCsvOutput('metadata', [['sequence_id', 'length', 'aligned_length', 'note'], ...facts]),
  ];
}

function indexById<T>(proteins: readonly Protein[], valueOf: (protein: Protein) => T) {
  return Object.fromEntries(proteins.map((protein) => [protein.id, valueOf(protein)]));
}

function makeSequences(records: readonly FastaRecord[], keys: readonly string[]): Output[] {
  const made = makeProteins(records, keys);
  const proteins = indexById(made, ({ residues: seq, tracks }) => ({ seq, ...tracks }));
  const metadata = { synthetic: true, note: SYNTHETIC, mode: 'Single Sequence' };
  return [createJsonOutput('result', { proteins, metadata }), ...makeTables(made, keys)];
}

function makeAlignment(records: readonly FastaRecord[], keys: readonly string[]): Output[] {
  const made = makeProteins(records, keys);
  const metadata = { synthetic: true, note: SYNTHETIC, mode: 'MSA' };
  const proteins = indexById(made, ({ tracks }) => tracks);
  const sequences = indexById(made, ({ residues }) => residues);
  const results = makeDistributions(made, keys);
  return [
    createJsonOutput('result', { proteins, sequences, metadata }),
    ...makeTables(made, keys),
    createJsonOutput('distributions', { results, metadata }),
  ];
}

/** What the engine tells of the values in a column. */
const QUANTILES = {
  median: 0.5,
  thirdQuartile: 0.75,
  firstQuartile: 0.25,
  topOutlier: 1,
  bottomOutlier: 0,
};

/** Of each column of an alignment; null where every sequence has a gap. */
function makeDistributions(made: readonly Protein[], keys: readonly string[]) {
  const columns = Array.from(made[0]?.residues ?? [], (_, n) => n);
  const quantile = (key: string, part: number): (number | null)[] =>
    columns.map((n) => {
      const values = made
        .map(({ tracks }) => tracks[key]?.[n] ?? null)
        .filter((value) => value !== null)
        .sort((a, b) => a - b);
      return values[Math.round(part * (values.length - 1))] ?? null;
    });
  const parts = Object.entries(QUANTILES);
  return Object.fromEntries(
    keys.map((key) => [
      key,
      Object.fromEntries(parts.map(([name, part]) => [name, quantile(key, part)])),
    ]),
  );
}

function makeShifts({ text, modelClass, originalNumbering }: ShiftsJob): Output[] | string {
  const chains = readChains(text).map(({ chainCode, residues: sequence, seqCodes }) => {
    const values = generateValues(
      `${chainCode} ${sequence.join('')} ${modelClass}`,
      sequence.length,
    );
    return {
      ID_file: 'synthetic',
      note: SYNTHETIC,
      sequence,
      seqCodes: originalNumbering ? seqCodes : sequence.map((_, n) => n + 1),
      // The engine writes them as strings.
      shiftCrypt: values.map((value) => value.toFixed(3)),
      chainCode,
    };
  });
  if (chains.length === 0)
    return 'The text names no residues: it is neither NEF nor NMR-STAR with a sequence.';
  const rows = chains.flatMap(({ chainCode, sequence, seqCodes, shiftCrypt }) =>
    sequence.map((residue, n): Cell[] => {
      return [chainCode, seqCodes[n] ?? null, residue, shiftCrypt[n] ?? null, 'synthetic'];
    }),
  );
  const header = ['chainCode', 'seqCode', 'residue', 'shiftCrypt', 'note'];
  return [createJsonOutput('result', chains), createCsvOutput('csv', [header, ...rows])];
}
