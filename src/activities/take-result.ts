/**
 * Takes a whole artefact into the tree. Whether it is right is found out in memory, before a file has its final name:
 * what a check finds wrong is kept under `rejected/` in the item's folder, where nobody takes it for a good one.
 */
import type { ArtefactName } from '../domain/outcomes.ts';
import { compositionOf } from '../inputs/molecules/composition.ts';
import { withChemist } from '../inputs/molecules/shared-chemist.ts';
import { readResultJson } from '../results/result-json.ts';
import { RESULT_PROBLEMS, resultProblem, type ResultProblem } from '../results/result-problems.ts';
import { complexity } from '../services/bounded-json.ts';
import { checkResult } from '../services/check-result.ts';
import type { Job } from '../services/client.ts';
import type { StoredJob } from './job.ts';
import { engineOfLog } from '../services/engine.ts';
import { nativeFiles } from '../services/molecules/files.ts';
import { otherJob } from '../services/named-job.ts';
import { checkDistributions } from '../services/predictions/check-distributions.ts';
import { isSynthetic } from '../services/synthetic.ts';
import { JOB_LOG, REJECTED, itemKey, setFolder } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import type { FetchResult, ItemAddress, KeptFile } from '../workflows/verbs.ts';
import { hiddenInTexts, redactedTimes } from './redacted.ts';

export interface Artefact {
  readonly name: ArtefactName;
  /** As it is called in the item's folder. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Lengths of the secrets that were overwritten in it. */
  readonly hidden: readonly number[];
}

/** Bytes of the disk that downloads leave free: item.json and the tables must still find room. */
export const KEPT_FREE = 32_000_000;

/** Artefacts that are checked. The first of each kind is the result itself. */
export const CHECKED: ReadonlySet<ArtefactName> = new Set(['record', 'result', 'distributions']);

/** What is wrong with it; null when it is right. */
export async function problemOf(
  job: StoredJob,
  remoteId: string,
  { name, bytes }: Artefact,
): Promise<ResultProblem | null> {
  const tooComplex = complexity(bytes);
  if (tooComplex !== null) {
    const message = `The result is ${tooComplex}: no result of this service is.`;
    return resultProblem(RESULT_PROBLEMS.tooComplex, message);
  }
  const other = otherJob(name, new TextDecoder().decode(bytes), remoteId);
  if (other !== null) return other;
  const { options } = job;
  const input = job.inputKnown ? job.input : null;
  const check =
    name === 'distributions'
      ? checkDistributions(bytes, input)
      : checkResult({ options, input }, bytes, await compositionOfJob(job));
  return check.ok ? null : check;
}

async function compositionOfJob({ kind, input, inputKnown }: StoredJob) {
  return kind === 'molecule' && inputKnown
    ? withChemist((chemist) => compositionOf(input, chemist))
    : null;
}

/** A molecule's files are taken out of their record on the way, also those of a wrong one: somebody will look at them. */
export async function writeArtefact(
  store: Store,
  { kind, id }: ItemAddress,
  { options }: Job,
  { name, fileName, bytes, hidden }: Artefact,
  problem: ResultProblem | null,
): Promise<FetchResult> {
  const folder = problem === null ? '' : REJECTED;
  const readable = options.kind === 'molecule' && problem?.code !== RESULT_PROBLEMS.tooComplex;
  const texts = readable ? filesInRecord(bytes, options) : [];
  const hiddenIn = hiddenInTexts(bytes, texts.length === 0 ? [] : hidden);
  const files: KeptFile[] = [];
  for (const [file, data] of [[fileName, bytes] as const, ...texts]) {
    const key = itemKey(kind, id, folder + file);
    const { bytes: length, sha256 } = await store.write(key, data, { keepFree: KEPT_FREE });
    const times = typeof data === 'string' ? hiddenIn(data) : hidden.length;
    files.push({ name: folder + file, bytes: length, sha256, ...redactedTimes(times) });
  }
  const log = texts.find(([file]) => file === JOB_LOG)?.[1] ?? '';
  const synthetic = name !== 'distributions' && isSynthetic(bytes);
  const engine = synthetic ? 'synthetic' : engineOfLog(log);
  const told = problem && { code: problem.code, message: problem.message };
  return { files, problem: told, timing: null, ...(engine !== null && { engine }) };
}

function filesInRecord(
  bytes: Uint8Array,
  options: Extract<Job['options'], { readonly kind: 'molecule' }>,
): (readonly [name: string, text: string])[] {
  const read = readResultJson(bytes);
  const native = read.ok ? nativeFiles(read.json, options) : read;
  if (!read.ok || !native.ok) return [];
  const log = (read.json as { log?: unknown }).log;
  return [
    ...native.files.map(({ fileName, text }) => [fileName, text] as const),
    ...native.otherSets.flatMap((files, n) =>
      files.map(({ fileName, text }) => [setFolder(n + 2) + fileName, text] as const),
    ),
    ...(typeof log === 'string' ? [[JOB_LOG, log] as const] : []),
  ];
}
