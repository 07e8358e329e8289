/**
 * The recorded engine: real outputs of the real programs for the inputs in `recordings/index.json`. Any other input
 * fails with a clear message; nothing is ever invented.
 */
import type { ServiceName } from '../contract.ts';
import { parseFasta, resultIds } from '../fasta.ts';
import { canonical, type CanonicalJob } from './canonical.ts';
import {
  CONTENT_TYPES,
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
  type OutputName,
  pace,
} from './engine.ts';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export class RecordedEngine implements Engine {
  readonly name = 'recorded';
  readonly version: string;
  readonly #jobMs: (job: EngineJob) => number;
  /** By kind and input, because a recording with more predictors may serve a sequence. */
  readonly #recordings = new Map<string, Recording[]>();

  constructor(jobMs: (job: EngineJob) => number, service: ServiceName) {
    this.#jobMs = jobMs;
    const index = loadIndex();
    this.version = index.programs[service === 'molecules' ? 'molecule' : 'sequence'];
    for (const recording of index.recordings) {
      const key = `${recording.kind} ${recording.input}`;
      const known = this.#recordings.get(key);
      if (known === undefined) this.#recordings.set(key, [recording]);
      else known.push(recording);
    }
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await pace(this.#jobMs(job), context);
    const wanted = canonical(job);
    const known = this.#recordings.get(`${wanted.kind} ${wanted.input}`) ?? [];
    const recording =
      job.kind === 'sequence'
        ? smallestWith(known, wanted)
        : (exact(known, wanted) ?? sameCharge(known, wanted, job));
    if (recording === undefined) return unknown(wanted, known);
    return job.kind === 'molecule' ? molecule(recording) : prediction(recording, job);
  }
}

function exact(known: readonly Recording[], wanted: CanonicalJob): Recording | undefined {
  return known.find((recording) => recording.options === wanted.options);
}

/**
 * Automatic charge and the same charge given as a number are one job. Automatic is the charge that the SMILES has; what
 * it is for a file only the engine knows.
 */
function sameCharge(
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
function smallestWith(known: readonly Recording[], wanted: CanonicalJob): Recording | undefined {
  const asked = wanted.options.split('+');
  const size = (recording: Recording): number => recording.options.split('+').length;
  return (
    exact(known, wanted) ??
    known
      .filter((recording) => recording.failure === undefined)
      .filter((recording) => asked.every((name) => recording.options.split('+').includes(name)))
      .sort((a, b) => size(a) - size(b))[0]
  );
}

function unknown(wanted: CanonicalJob, known: readonly Recording[]): EngineOutcome {
  const options = known.map((recording) => recording.options).join(', ');
  const message =
    known.length === 0
      ? `No recording for this input: the recorded engine computes nothing. It has results only for the table of hundredfold init and for the examples in batches/.`
      : `No recording for this input with ${wanted.options}: there are recordings only with ${options}.`;
  return { ok: false, message, log: message };
}

/** The fields of a recorded acpype job that the index needs. */
interface RecordedMolecule {
  readonly log: string;
  readonly results: Readonly<Record<string, string>>;
}

function molecule(recording: Recording): EngineOutcome {
  const file = recording.files.job;
  if (file === undefined) throw new Error(`The recording of ${recording.what} names no file.`);
  // test/local-services/engines.test.ts reads every one.
  const { log, results } = JSON.parse(readRecording(file).toString()) as RecordedMolecule;
  if (recording.failure !== undefined) return { ok: false, message: recording.failure, log };
  const body = Buffer.from(JSON.stringify(results));
  return { ok: true, log, outputs: [{ name: 'result', contentType: CONTENT_TYPES.result, body }] };
}

function prediction(recording: Recording, job: EngineJob): EngineOutcome {
  if (recording.failure !== undefined) {
    return { ok: false, message: recording.failure, log: recording.failure };
  }
  const names = ['result', 'csv', 'metadata', 'distributions'] as const;
  let outputs: Output[] = names.flatMap((name) => {
    const file = recording.files[name];
    return file === undefined
      ? []
      : [{ name, contentType: CONTENT_TYPES[name], body: readRecording(file) }];
  });
  if (job.kind === 'sequence') outputs = renamed(outputs, job.fasta);
  return { ok: true, log: `Recorded output of ${recording.what}`, outputs };
}

/**
 * The recorded outputs with the ids that the engine would derive from this job's own headers: the values depend only on
 * the residues. Only the ids are replaced, byte by byte; the numbers stay unchanged.
 */
function renamed(outputs: readonly Output[], fasta: string): Output[] {
  const result = outputs.find((output) => output.name === 'result');
  if (result === undefined) return [...outputs];
  const recorded = JSON.parse(Buffer.from(result.body).toString()) as { proteins: object };
  const from = Object.keys(recorded.proteins);
  const to = resultIds(parseFasta(fasta).records.map((record) => record.header));
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
  const end = json.indexOf('"metadata":');
  const head = end < 0 ? json : json.slice(0, end);
  const keys = [...names.keys()].map((key) => key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(${keys.join('|')}):\\{`, 'g');
  return (
    head.replace(pattern, (_, key: string) => `${names.get(key) ?? key}:{`) +
    json.slice(head.length)
  );
}

function renameRows(csv: string, from: readonly string[], to: readonly string[]): string {
  const names = new Map(from.map((id, n) => [csvField(id), csvField(to[n] ?? id)]));
  return csv
    .split('\n')
    .map((line) => {
      const old = line.startsWith('"')
        ? line.slice(0, line.indexOf('",') + 1)
        : line.slice(0, Math.max(0, line.indexOf(',')));
      return (names.get(old) ?? old) + line.slice(old.length);
    })
    .join('\n');
}

export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The index of the recorded outputs: which file under `recordings/` is the output for which input and options. */
export interface Recording {
  readonly kind: EngineJob['kind'];
  /** SHA-256 of the canonical input (canonical.ts). */
  readonly input: string;
  readonly options: string;
  /** The name of the input, for display. */
  readonly what: string;
  /** Files in the same folder, gzip-compressed as they were recorded. */
  readonly files: Readonly<Partial<Record<OutputName | 'job', string>>>;
  /** The engine's own message if it failed; absent otherwise. */
  readonly failure?: string;
}

interface RecordingIndex {
  readonly about: string;
  /** Program and version, by kind of job. */
  readonly programs: Readonly<Record<EngineJob['kind'], string>>;
  readonly recordings: readonly Recording[];
}

const FOLDER = new URL('../../recordings/', import.meta.url);

export function loadIndex(): RecordingIndex {
  // test/local-services/engines.test.ts checks the index.
  return JSON.parse(readFileSync(new URL('index.json', FOLDER), 'utf8')) as RecordingIndex;
}

/** The bytes of a recorded file, as the engine wrote them. */
export function readRecording(file: string): Buffer {
  return gunzipSync(readFileSync(new URL(file, FOLDER)));
}
