/** The tree for the measurements of report and tables is one that the activities could have left. */
import { expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { campaignItems } from '../../src/report/campaign-items.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { checkResult } from '../../src/services/check-result.ts';
import { itemKey } from '../../src/store/layout.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const EACH = 60;

async function digests(store: Store): Promise<string | null> {
  return store.readText('SHA256SUMS');
}

test('a generated tree can be published, keeps every promise, and is the same each time', async () => {
  const [one, other] = [
    await writeFinishedTree(await temporaryFolder(), EACH),
    await writeFinishedTree(await temporaryFolder(), EACH),
  ];
  const { items } = await publishCampaign(one.store, one.end);
  await publishCampaign(other.store, other.end);
  expect(await treeFaults(one.store)).toEqual([]);
  expect(items.failed).toBeGreaterThan(0);
  expect(items.held).toBeGreaterThan(0);
  expect(items.succeeded).toBeGreaterThan(3 * EACH);
  expect(await digests(one.store)).toBe(await digests(other.store));
});

test('every result in a generated tree passes the checks of real results', async () => {
  const { store } = await writeFinishedTree(await temporaryFolder(), EACH);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  for await (const { record } of campaignItems(store, campaign)) {
    if (record?.state !== 'succeeded') continue;
    const { kind, id, options, input } = record;
    const text = (await store.readText(itemKey(store, kind, id, input.name))) ?? '';
    const result = kind === 'molecule' ? 'record.json' : 'result.json';
    const bytes = (await store.read(itemKey(store, kind, id, result))) ?? '';
    expect([id, checkResult({ options, input: { name: input.name, text } }, bytes)]).toEqual([
      id,
      { ok: true },
    ]);
  }
});
