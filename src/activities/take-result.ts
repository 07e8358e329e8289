/**
 * Takes a complete artefact, or the result of a plugin's kind, into the tree. It is checked in memory, before a file has
 * its final name: a wrong one is kept under `rejected/` in the item's folder, so that it is not mistaken for a valid
 * result.
 *
 * In the item's folder and not at the top of the tree: so `path` in items.csv leads to everything about the item, and a
 * pattern for topologies in the folders of items does not match files in `rejected/`.
 */
import type { Options } from '../domain/campaign.ts';
import type { ArtefactName } from '../domain/outcomes.ts';
import type { InnerFile, Judge, Judged, ResultFault } from '../kinds/kind.ts';
import { isOwnKind, findKind, type AnyKind } from '../kinds/registry.ts';
import { READING_FILE } from '../kinds/stored-reading.ts';
import { findLine } from '../services/plugins/load.ts';
import type { Job } from '../services/service.ts';
import { readToJudge } from '../store/deliver.ts';
import type { FileDigest, Store } from '../store/store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { REJECTED, buildItemKey, setFolder } from '../store/layout.ts';
import type { FetchResult, ItemAddress, KeptFile } from '../workflows/activity-types.ts';
import type { StoredJob } from './item-job.ts';
import { createHindered } from './retry.ts';

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

/** What is wrong with it; null if it is right. */
export async function findProblem(
  { options, input, inputKnown }: StoredJob,
  remoteId: string,
  { name, bytes }: Artefact,
  mayBeSynthetic: boolean,
): Promise<ResultFault | null> {
  const { check } = findKind(options.kind).artefacts[name] ?? {};
  const facts = { options, input: inputKnown ? input : null, remoteId, mayBeSynthetic };
  return (await check?.(bytes, facts)) ?? null;
}

/** Files inside an artefact are extracted, also those of a wrong one, for inspection. */
export async function writeArtefact(
  store: Store,
  item: ItemAddress,
  { options }: Job<Options>,
  { name, fileName, bytes, hidden }: Artefact,
  problem: ResultFault | null,
): Promise<FetchResult> {
  const folder = problem === null ? '' : REJECTED;
  const kind = findKind(options.kind);
  const isReadable = problem?.code !== 'RESULT_TOO_COMPLEX';
  const inner = isReadable ? (kind.unfold?.(name, bytes, options) ?? []) : [];
  const texts = inner.map((file) => [buildSetFolder(file) + file.name, file.text] as const);
  const files = await writeFiles(store, item, { fileName, bytes, hidden, texts, folder });
  const { engine = null } = isReadable ? describe(kind, name, bytes, inner) : {};
  const reason = problem && { code: problem.code, message: problem.message };
  return { files, problem: reason, timing: null, engine };
}

/** What the service has of a failed job: its answer as received and its log; an incomplete result under `rejected/`. */
export async function writeFailed(
  store: Store,
  item: ItemAddress,
  { name, fileName, bytes, hidden }: Artefact,
): Promise<FetchResult> {
  const kind = findKind(item.kind);
  const inner = kind.unfoldFailed?.(name, bytes) ?? [];
  const texts = inner.map(
    (file) => [(file.isRejected ? REJECTED : '') + file.name, file.text] as const,
  );
  const files = await writeFiles(store, item, { fileName, bytes, hidden, texts, folder: '' });
  const { engine = null, timing = null } = describe(kind, name, bytes, inner);
  return { files, problem: null, timing, engine };
}

function describe(
  kind: AnyKind,
  name: ArtefactName,
  bytes: Uint8Array,
  inner: readonly InnerFile[],
) {
  return kind.artefacts[name]?.describe?.(new TextDecoder().decode(bytes), inner) ?? {};
}

function buildSetFolder({ set = 1 }: InnerFile): string {
  return set === 1 ? '' : setFolder(set);
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
  const hiddenIn = createHiddenCounter(bytes, texts.length === 0 ? [] : hidden);
  const files: KeptFile[] = [];
  for (const [file, data] of [[fileName, bytes] as const, ...texts]) {
    const key = buildItemKey(kind, id, folder + file);
    const stored = await store.write(key, data, { keepFree: KEPT_FREE });
    const times = typeof data === 'string' ? hiddenIn(data) : hidden.length;
    files.push(createKeptFile(folder + file, stored, times));
  }
  return files;
}

/** @param times how often a secret was overwritten in it (services/redaction.ts) */
export function createKeptFile(name: string, stored: FileDigest, times: number): KeptFile {
  return { name, ...stored, ...(times > 0 && { redacted: times }) };
}

/** Secrets are overwritten with a run of one character that no id contains. */
const MASKED = /([^\w\s.~=+-])\1*/g;
const TOKEN_OF_RECORD = /"token"\s*:\s*"([^\w\s])\1*"/;

/**
 * The same for texts that were taken out of a record, where places are no longer those of the bytes: by the lengths of
 * what was overwritten. A record that repeats the token only where the contract says so (2.4) has none in its texts.
 */
function createHiddenCounter(
  record: Uint8Array,
  hidden: readonly number[],
): (text: string) => number {
  const lengths = new Set(hidden);
  const one = hidden.length === 1 && TOKEN_OF_RECORD.test(Buffer.from(record).toString('latin1'));
  if (hidden.length === 0 || one) return () => 0;
  return (text) => (text.match(MASKED) ?? []).filter(({ length }) => lengths.has(length)).length;
}

/** Until another worker, which may have the plugin, is tried. */
const ELSEWHERE_MS = 5_000;

type Taken = { readonly fault: ResultFault } | { readonly file: KeptFile };

/** Null for one of our kinds, whose results are checked file by file. */
export async function takePluginResult(
  store: Store,
  record: ItemRecord,
  remoteId: string,
  files: readonly KeptFile[],
): Promise<Taken | null> {
  const { kind, id } = record;
  const { judge } = findKind(kind);
  if (isOwnKind(kind)) return null;
  // Each activity on the tree has asked for the plugin: only if the tree was described anew since then.
  if (judge === undefined)
    throw createHindered(`this worker has no plugin with the kind ${kind}`, ELSEWHERE_MS);
  const names = files.map(({ name }) => name);
  const judged = runJudge(judge, ...(await readToJudge(store, record, remoteId, names)));
  if ('fault' in judged) return judged;
  const key = buildItemKey(kind, id, READING_FILE);
  const stored = await store.write(key, `${JSON.stringify(judged.reading)}\n`, {
    keepFree: KEPT_FREE,
  });
  return { file: createKeptFile(READING_FILE, stored, 0) };
}

/** The files of a result that the plugin cannot read stay: `retry` reads them again. */
export function runJudge(judge: Judge, ...given: Parameters<Judge>): Judged {
  try {
    return judge(...given);
  } catch (error) {
    const at = findLine(error);
    const where = at === null ? '' : `${at.file}:${at.line}: `;
    return { fault: { code: 'PLUGIN_FAILED', message: `${where}${String(error)}` } };
  }
}
