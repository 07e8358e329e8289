/** A campaign whose items have ended, as activities leave it, for a test to publish. */
import type { Item } from '../../src/domain/campaign.ts';
import type { CampaignEnd } from '../../src/report/campaign-summary.ts';
import type { FileDigest, Store } from '../../src/store/store.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { buildItemKey } from '../../src/store/layout.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

export const END = {
  state: 'completed',
  startedAt: '2026-11-21T20:00:00.000Z',
  endedAt: '2026-11-22T06:00:00.000Z',
  versions: { hundredfold: '0.1.0', node: '24.21.0' },
} as const satisfies CampaignEnd;

export const CAMPAIGN = {
  name: 'night',
  manifestDigests: [{ file: 'batch.csv', sha256: 'a'.repeat(64) }],
  settings: { store: { url: './results' } },
};

/** How an item ended; by default it succeeded. */
export type Ending = Partial<
  Pick<
    ItemRecord,
    | 'state'
    | 'error'
    | 'attempts'
    | 'remoteId'
    | 'engine'
    | 'resultFrom'
    | 'submittedAt'
    | 'finishedAt'
  >
>;

export const FAILED: Ending = {
  state: 'failed',
  error: { code: 'JOB_FAILED', message: 'teLeap failed,\nsays "acpype"' },
};

/** Prepares the items and brings each to its end. */
export async function endedCampaign(
  items: readonly Item[],
  endings: Readonly<Record<string, Ending>> = {},
  given?: Store,
): Promise<Store> {
  const store = given ?? (await openFileStore(await temporaryFolder()));
  await prepareCampaign(store, CAMPAIGN, items, { pageSize: 2 });
  for (const item of items) await endItem(store, item, endings[item.id] ?? {});
  return store;
}

/** @param texts of the files that a success has */
export async function endItem(
  store: Store,
  { kind, id }: Item,
  ending: Ending,
  texts: Readonly<Record<string, string>> = { 'result.json': `{"of":"${id}"}\n` },
): Promise<void> {
  const record = await readItem(store, kind, id);
  if (record === null) throw new Error(`${id} was not prepared`);
  const succeeded = (ending.state ?? 'succeeded') === 'succeeded';
  const files: Record<string, FileDigest> = {};
  for (const [name, text] of succeeded ? Object.entries(texts) : []) {
    files[name] = await store.write(buildItemKey(kind, id, name), text);
  }
  if (!succeeded) await store.remove(buildItemKey(kind, id, 'result.json'));
  const remoteId = `job-${id}`;
  await writeItem(store, {
    ...record,
    state: 'succeeded',
    remoteId,
    attempts: [{ at: '2026-11-21T20:01:00.000Z', outcome: 'accepted', remoteId }],
    submittedAt: '2026-11-21T20:01:00.000Z',
    finishedAt: '2026-11-21T20:02:00.000Z',
    files,
    ...ending,
  });
}
