/**
 * The recorded engine: real outputs of the real programs for the inputs in `recordings/index.json`. Any other input
 * fails with a clear message; nothing is ever invented.
 */
import type { ServiceName } from '../../domain/item.ts';
import { parseFasta, resultIds } from '../fasta.ts';
import { canonical, type CanonicalJob } from './canonical.ts';
import {
  CONTENT_TYPES,
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
} from './engine.ts';
import { pace } from './pace.ts';
import { loadIndex, readRecording, type Recording } from './recordings.ts';

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
    const recording = job.kind === 'sequence' ? smallestWith(known, wanted) : exact(known, wanted);
    if (recording === undefined) return unknown(wanted, known);
    return job.kind === 'molecule' ? molecule(recording) : prediction(recording, job);
  }
}

function exact(known: readonly Recording[], wanted: CanonicalJob): Recording | undefined {
  return known.find((recording) => recording.options === wanted.options);
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
      ? `No recording for this input: the recorded engine computes nothing. It has results only for the inputs in src/local-services/recordings/index.json.`
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
  // Written by scripts/index-recordings.ts; test/local-services/recordings.test.ts reads every one.
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

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
