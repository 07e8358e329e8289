/** The result of a plugin's kind: read and checked once, and what is shown of it stored beside its files. */
import { isOwnKind, kindOf } from '../kinds/registry.ts';
import { READING_FILE } from '../kinds/stored-reading.ts';
import type { Judge, Judged, ResultFault } from '../kinds/kind.ts';
import { lineOf } from '../plugins/modules.ts';
import { storedDigest } from '../store/digest.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readToJudge } from '../store/deliver.ts';
import { itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import type { KeptFile } from '../workflows/activity-types.ts';
import { hindered } from './retry.ts';
import { KEPT_FREE } from './take-result.ts';

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
  const { judge } = kindOf(kind);
  if (isOwnKind(kind)) return null;
  // Each activity on the tree has asked for the plugin: only if the tree was described anew since then.
  if (judge === undefined)
    throw hindered(`this worker has no plugin with the kind ${kind}`, ELSEWHERE_MS);
  const names = files.map(({ name }) => name);
  const judged = judgeSafely(judge, ...(await readToJudge(store, record, remoteId, names)));
  if ('fault' in judged) return judged;
  const key = itemKey(kind, id, READING_FILE);
  const stored = await store.write(key, `${JSON.stringify(judged.reading)}\n`, {
    keepFree: KEPT_FREE,
  });
  return { file: { name: READING_FILE, ...storedDigest(stored) } };
}

/** The files of a result that the plugin cannot read stay: `retry` reads them again. */
export function judgeSafely(judge: Judge, ...given: Parameters<Judge>): Judged {
  try {
    return judge(...given);
  } catch (error) {
    const at = lineOf(error);
    const where = at === null ? '' : `${at.file}:${at.line}: `;
    return { fault: { code: 'PLUGIN_FAILED', message: `${where}${String(error)}` } };
  }
}
