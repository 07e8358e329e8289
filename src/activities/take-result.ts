/**
 * Takes a complete artefact into the tree. It is checked in memory, before a file has its final name: a wrong one is kept
 * under `rejected/` in the item's folder, so that it is not mistaken for a valid result.
 *
 * In the item's folder and not at the top of the tree: so `path` in items.csv leads to everything about the item, and a
 * pattern for topologies in the folders of items does not match files in `rejected/`.
 */
import type { MoleculeOptions, Options } from '../domain/item.ts';
import type { ArtefactName } from '../domain/outcomes.ts';
import { compositionOf, type Composition } from '../kinds/molecule/composition.ts';
import { asObject, readResultJson, complexity } from '../kinds/json.ts';
import { RESULT_PROBLEMS, resultProblem, type ResultProblem } from '../kinds/result-problems.ts';
import { checkResult } from '../services/check-result.ts';
import type { Job } from '../services/service.ts';
import type { StoredJob } from './job.ts';
import { engineOfLog, otherJob, isSynthetic } from '../kinds/provenance.ts';
import { nativeFiles } from '../kinds/molecule/files.ts';
import { checkDistributions } from '../kinds/protein/files.ts';
import { JOB_LOG, REJECTED, itemKey, setFolder } from '../store/layout.ts';
import { storedDigest } from '../store/digest.ts';
import type { Store } from '../store/store.ts';
import type { FetchResult, ItemAddress, KeptFile } from '../workflows/activity-types.ts';
import { hiddenInTexts, redactedTimes } from './redacted.ts';

export interface Artefact {
  readonly name: ArtefactName;
  /** Its name in the item's folder. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Lengths of the secrets that were overwritten in it. */
  readonly hidden: readonly number[];
}

/** Bytes of the disk that downloads leave free, for item.json and the tables. */
export const KEPT_FREE = 32_000_000;

/** Artefacts that are checked. The first of each kind is the result itself. */
export const CHECKED: ReadonlySet<ArtefactName> = new Set(['record', 'result', 'distributions']);

/** What is wrong with it; null if it is right. */
export async function problemOf(
  job: StoredJob,
  remoteId: string,
  { name, bytes }: Artefact,
  mayBeSynthetic: boolean,
): Promise<ResultProblem | null> {
  const tooComplex = complexity(bytes);
  if (tooComplex !== null) {
    const message = `The result is ${tooComplex}, which no result of this service is.`;
    return resultProblem(RESULT_PROBLEMS.tooComplex, message);
  }
  const other = otherJob(name, new TextDecoder().decode(bytes), remoteId);
  if (other !== null) return other;
  const { options } = job;
  const input = job.inputKnown ? job.input : null;
  const check =
    name === 'distributions'
      ? checkDistributions(bytes, input)
      : await withComposition(job, (composition) =>
          checkResult({ options, input }, bytes, composition, mayBeSynthetic),
        );
  return check.ok ? null : check;
}

async function withComposition<T>(
  { kind, input, inputKnown }: StoredJob,
  use: (composition: Composition | null) => Promise<T>,
): Promise<T> {
  return kind === 'molecule' && inputKnown ? compositionOf(input).then(use) : use(null);
}

/** A molecule's files are extracted from their record, also those of a wrong one, for inspection. */
export async function writeArtefact(
  store: Store,
  item: ItemAddress,
  { options }: Job<Options>,
  { name, fileName, bytes, hidden }: Artefact,
  problem: ResultProblem | null,
): Promise<FetchResult> {
  const folder = problem === null ? '' : REJECTED;
  const readable = options.kind === 'molecule' && problem?.code !== RESULT_PROBLEMS.tooComplex;
  const texts = readable ? filesInRecord(bytes, options) : [];
  const files = await writeFiles(store, item, { fileName, bytes, hidden, texts, folder });
  const log = texts.find(([file]) => file === JOB_LOG)?.[1] ?? '';
  const synthetic = name !== 'distributions' && isSynthetic(bytes);
  const engine = synthetic ? 'synthetic' : engineOfLog(log);
  const reason = problem && { code: problem.code, message: problem.message };
  return { files, problem: reason, timing: null, ...(engine !== null && { engine }) };
}

/** What the service has of a failed job: its answer as received and, for a molecule, the log in it. No results. */
export async function writeFailed(
  store: Store,
  item: ItemAddress,
  { fileName, bytes, hidden }: Artefact,
): Promise<FetchResult> {
  const read = readResultJson(bytes);
  const texts = item.kind === 'molecule' && read.ok ? logIn(read.json) : [];
  const files = await writeFiles(store, item, { fileName, bytes, hidden, texts, folder: '' });
  const engine = engineOfLog(texts[0]?.[1] ?? '');
  return { files, problem: null, timing: null, ...(engine !== null && { engine }) };
}

type NamedText = readonly [name: string, text: string];

interface Written extends Omit<Artefact, 'name'> {
  /** Extracted from it. */
  readonly texts: readonly NamedText[];
  /** In the item's folder. */
  readonly folder: string;
}

async function writeFiles(
  store: Store,
  { kind, id }: ItemAddress,
  { fileName, bytes, hidden, texts, folder }: Written,
): Promise<KeptFile[]> {
  const hiddenIn = hiddenInTexts(bytes, texts.length === 0 ? [] : hidden);
  const files: KeptFile[] = [];
  for (const [file, data] of [[fileName, bytes] as const, ...texts]) {
    const key = itemKey(kind, id, folder + file);
    const stored = await store.write(key, data, { keepFree: KEPT_FREE });
    const times = typeof data === 'string' ? hiddenIn(data) : hidden.length;
    files.push({ name: folder + file, ...storedDigest(stored), ...redactedTimes(times) });
  }
  return files;
}

function filesInRecord(bytes: Uint8Array, options: MoleculeOptions): NamedText[] {
  const read = readResultJson(bytes);
  if (!read.ok) return [];
  const native = nativeFiles(read.json, options);
  // The log says why files are missing.
  if (!native.ok) return logIn(read.json);
  return [
    ...native.files.map(({ fileName, text }) => [fileName, text] as const),
    ...native.otherSets.flatMap((files, n) =>
      files.map(({ fileName, text }) => [setFolder(n + 2) + fileName, text] as const),
    ),
    ...logIn(read.json),
  ];
}

function logIn(json: unknown): NamedText[] {
  const log = asObject(json)?.['log'];
  return typeof log === 'string' ? [[JOB_LOG, log]] : [];
}
