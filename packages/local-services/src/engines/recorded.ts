/**
 * The recorded engine: real outputs of the real programs for the inputs in `recordings/index.json`. Any other input
 * fails with a clear message; nothing is ever invented.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { PREDICTORS, type Predictor, type ServiceName } from '../contract.ts';
import { parseFasta, assignResultIds } from '../fasta.ts';
import {
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
  type OutputName,
  createFailure,
  paceJob,
} from './engine.ts';

/** By kind and input alone: a recording with more predictors may serve a sequence. */
let recordings: ReadonlyMap<string, readonly Recording[]> | undefined;

function findKnown(job: EngineJob): { canonical: CanonicalJob; known: readonly Recording[] } {
  recordings ??= Map.groupBy(loadIndex().recordings, ({ kind, input }) => `${kind} ${input}`);
  const canonical = toCanonicalJob(job);
  return { canonical, known: recordings.get(`${canonical.kind} ${canonical.input}`) ?? [] };
}

/** Undefined if there is none that this job gets. */
export function findRecording(job: EngineJob): Recording | undefined {
  const { canonical, known } = findKnown(job);
  return job.kind === 'sequence'
    ? findSmallestRecording(known, canonical)
    : (findExactRecording(known, canonical) ?? findSameCharge(known, canonical, job));
}

export class RecordedEngine implements Engine {
  readonly name = 'recorded';
  readonly version: string;
  readonly #jobMs: (job: EngineJob) => number;

  constructor(jobMs: (job: EngineJob) => number, service: ServiceName) {
    this.#jobMs = jobMs;
    this.version = loadIndex().programs[service === 'molecules' ? 'molecule' : 'sequence'];
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await paceJob(this.#jobMs(job), context);
    const recording = findRecording(job);
    if (recording === undefined) return createFailure(explainMissing(job));
    return job.kind === 'molecule' ? replayMolecule(recording) : replayPrediction(recording, job);
  }
}

function findExactRecording(
  known: readonly Recording[],
  canonical: CanonicalJob,
): Recording | undefined {
  return known.find((recording) => recording.options === canonical.options);
}

/**
 * Automatic charge and the same charge given as a number are one job. Automatic is the charge that the SMILES has; what
 * it is for a file only the engine knows.
 */
function findSameCharge(
  known: readonly Recording[],
  { options }: CanonicalJob,
  job: EngineJob,
): Recording | undefined {
  if (job.kind !== 'molecule' || job.smiles === null) return undefined;
  const charges = job.smiles.matchAll(/\[[^\]]*?(?:(\++|-+)|([+-]\d+))(?::\d+)?\]/g);
  let sum = 0;
  for (const [, signs = '', number] of charges) {
    sum += number === undefined ? signs.length * (signs.startsWith('-') ? -1 : 1) : Number(number);
  }
  const inNumbers = (text: string): string => text.replace('/auto/', `/${sum}/`);
  return known.find((recording) => inNumbers(recording.options) === inNumbers(options));
}

/**
 * The recording with exactly the requested predictors, or else the successful one with the fewest additional ones: it
 * is returned as recorded, with the keys of all its predictors, as the dependencies of a predictor add keys anyway.
 */
function findSmallestRecording(
  known: readonly Recording[],
  canonical: CanonicalJob,
): Recording | undefined {
  const asked = canonical.options.split('+');
  const size = (recording: Recording): number => recording.options.split('+').length;
  return (
    findExactRecording(known, canonical) ??
    known
      .filter((recording) => recording.failure === undefined)
      .filter((recording) => asked.every((name) => recording.options.split('+').includes(name)))
      .sort((a, b) => size(a) - size(b))[0]
  );
}

function explainMissing(job: EngineJob): string {
  const { canonical, known } = findKnown(job);
  const options = known.map((recording) => recording.options).join(', ');
  const what =
    known.length === 0
      ? ': the recorded engine has results only for the table of hundredfold init and for the examples in batches/'
      : ` with ${canonical.options}: there are recordings only with ${options}`;
  return `No recording for this input${what}. Nothing is wrong with it: --services synthetic rehearses any input, and npm run engines installs the real engines.`;
}

function replayMolecule(recording: Recording): EngineOutcome {
  const file = recording.files.job;
  if (file === undefined) throw new Error(`The recording of ${recording.what} names no file.`);
  const { log, results } = JSON.parse(readRecording(file).toString()) as {
    readonly log: string;
    readonly results: Readonly<Record<string, string>>;
  };
  if (recording.failure !== undefined) return { ok: false, message: recording.failure, log };
  const body = Buffer.from(JSON.stringify(results));
  return { ok: true, log, outputs: [{ name: 'result', body }] };
}

function replayPrediction(recording: Recording, job: EngineJob): EngineOutcome {
  if (recording.failure !== undefined) return createFailure(recording.failure);
  const names = ['result', 'csv', 'metadata', 'distributions'] as const;
  let outputs: Output[] = names.flatMap((name) => {
    const file = recording.files[name];
    return file === undefined ? [] : [{ name, body: readRecording(file) }];
  });
  if (job.kind === 'sequence') outputs = renameProteins(outputs, job.fasta);
  return { ok: true, log: `Recorded output of ${recording.what}`, outputs };
}

/**
 * The recorded outputs with the ids that the engine would derive from this job's own headers: the values depend only on
 * the residues. Only the ids are replaced, byte by byte; the numbers stay unchanged.
 */
function renameProteins(outputs: readonly Output[], fasta: string): Output[] {
  const result = outputs.find((output) => output.name === 'result');
  if (result === undefined) return [...outputs];
  const recorded = JSON.parse(Buffer.from(result.body).toString()) as { proteins: object };
  const from = Object.keys(recorded.proteins);
  const to = assignResultIds(parseFasta(fasta).records.map((record) => record.header));
  // If the engine dropped a record (an empty header), ids cannot be matched.
  if (from.length !== to.length || from.every((id, n) => id === to[n])) return [...outputs];
  return outputs.map((output) => {
    const text = Buffer.from(output.body).toString();
    const body = output.name === 'result' ? renameKeys(text, from, to) : renameRows(text, from, to);
    return { ...output, body: Buffer.from(body) };
  });
}

function renameKeys(json: string, from: readonly string[], to: readonly string[]): string {
  const names = new Map(from.map((id, n) => [JSON.stringify(id), JSON.stringify(to[n])]));
  const [head = '', ...rest] = json.split(/(?="metadata":)/);
  const renamed = head.replace(/"(?:[^"\\]|\\.)*"(?=:\{)/g, (key) => names.get(key) ?? key);
  return renamed + rest.join('');
}

function renameRows(csv: string, from: readonly string[], to: readonly string[]): string {
  const names = new Map(from.map((id, n) => [formatCsvField(id), formatCsvField(to[n] ?? id)]));
  return csv.replace(/^(?:"(?:[^"]|"")*"|[^,\n]*)(?=,)/gm, (id) => names.get(id) ?? id);
}

export function formatCsvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* The index of the recordings */

/** A recorded output: of which input and options, and in which files under `recordings/`. */
export interface Recording {
  readonly kind: EngineJob['kind'];
  /** SHA-256 of the canonical input. */
  readonly input: string;
  /** The options, as one readable word. */
  readonly options: string;
  /** The name of the input, for display. */
  readonly what: string;
  /** Files in the same folder, gzip-compressed as they were recorded. */
  readonly files: Readonly<Partial<Record<OutputName | 'job', string>>>;
  /** The engine's own message if it failed; absent otherwise. */
  readonly failure?: string;
}

/** `recordings/index.json` */
interface RecordingIndex {
  readonly about: string;
  /** Program and version, by kind of job. */
  readonly programs: Readonly<Record<EngineJob['kind'], string>>;
  readonly recordings: readonly Recording[];
}

const FOLDER = new URL('../../recordings/', import.meta.url);

export function loadIndex(): RecordingIndex {
  return JSON.parse(readFileSync(new URL('index.json', FOLDER), 'utf8')) as RecordingIndex;
}

/** The bytes of a recorded file, as the engine wrote them. */
export function readRecording(file: string): Buffer {
  return gunzipSync(readFileSync(new URL(file, FOLDER)));
}

/* How a job finds its recording */

/** The canonical form of a job: equal for inputs for which the engine must give the same output. */
type CanonicalJob = Pick<Recording, 'kind' | 'input' | 'options'>;

/** Line ends, a byte order mark and white space at the ends do not matter to the engines. */
function normaliseInput(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n|\r/g, '\n')
    .trimEnd();
}

/** Predictors in the contract's order, without repeats; b2bTools always runs dynamine. */
function listPredictors(predictors: readonly string[]): Predictor[] {
  return PREDICTORS.filter((name) => name === 'dynamine' || predictors.includes(name));
}

/** The keys that each predictor adds to a protein of a result, with one value per residue. */
const KEYS: Readonly<Record<Predictor, readonly string[]>> = {
  dynamine: ['backbone', 'sidechain', 'ppII', 'coil', 'sheet', 'helix'],
  efoldmine: ['earlyFolding'],
  disomine: ['disoMine'],
  agmata: ['agmata'],
  psper: ['complexity', 'arg', 'tyr', 'RRM', 'disorder'],
};

export function listPredictorKeys(predictors: readonly string[]): string[] {
  return listPredictors(predictors).flatMap((name) => KEYS[name]);
}

function formatInput(job: EngineJob): string {
  switch (job.kind) {
    case 'molecule':
      return job.smiles === null
        ? `file\n${normaliseInput(job.inputFile ?? '')}`
        : `smiles\n${job.smiles.trim()}`;
    case 'sequence':
      // The predictions depend only on the residues; headers only name them.
      return parseFasta(job.fasta)
        .records.map((record) => record.residues)
        .join('\n');
    case 'alignment': {
      const { records } = parseFasta(job.fasta);
      const ids = assignResultIds(records.map((record) => record.header));
      return records.map((record, n) => `>${ids[n] ?? ''}\n${record.residues}`).join('\n');
    }
    case 'shifts':
      return normaliseInput(job.text);
  }
}

function formatOptions(job: EngineJob): string {
  switch (job.kind) {
    case 'molecule':
      return `${job.chargeMethod}/${job.netCharge === null ? 'auto' : String(job.netCharge)}/${job.atomType}`;
    case 'sequence':
      return listPredictors(job.predictors).join('+');
    case 'alignment':
      return 'msa';
    case 'shifts':
      return `model ${job.modelClass}/${job.originalNumbering ? 'original' : 'renumbered'}`;
  }
}

function toCanonicalJob(job: EngineJob): CanonicalJob {
  return {
    kind: job.kind,
    input: createHash('sha256').update(formatInput(job)).digest('hex'),
    options: formatOptions(job),
  };
}
