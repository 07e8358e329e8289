/** A campaign that was run more than once: its times, its runs, and whether it must be published again. */
import { expect, test } from 'vitest';
import { countSubmissions } from '../../src/report/campaign-summary.ts';
import { publishCampaign, isPublished } from '../../src/report/publish.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { aMolecule } from '../store/an-item.ts';
import { END, FAILED, endedCampaign } from './a-campaign.ts';

const ITEMS = [aMolecule('ethanol'), aMolecule('water')];
const LATER = {
  ...END,
  startedAt: '2026-11-24T08:00:00.000Z',
  endedAt: '2026-11-24T08:05:00.000Z',
};

test('a run in which an item ended is recorded, and the campaign started with the first run', async () => {
  const store = await endedCampaign(ITEMS, { water: FAILED });
  await publishCampaign(store, END);
  const record = await readItem(store, 'molecule', 'water');
  if (record === null) throw new Error('water is missing');
  await writeItem(store, { ...record, finishedAt: '2026-11-24T08:04:00.000Z' });
  const retry = { ...LATER, retried: 1 };
  await publishCampaign(store, retry);
  // Again, after a crash in the middle.
  const summary = await publishCampaign(store, { ...retry, endedAt: '2026-11-24T08:06:00.000Z' });
  expect(summary).toMatchObject({
    started_at: END.startedAt,
    ended_at: '2026-11-24T08:06:00.000Z',
    runs: [
      { started_at: END.startedAt, ended_at: END.endedAt, retried: 0 },
      { started_at: LATER.startedAt, ended_at: '2026-11-24T08:06:00.000Z', retried: 1 },
    ],
  });
});

test('a run that only published again does not change times and state', async () => {
  const store = await endedCampaign(ITEMS);
  await publishCampaign(store, { ...END, state: 'cancelled' });
  const before = await store.readText('campaign.json');
  await publishCampaign(store, LATER);
  expect(await store.readText('campaign.json')).toBe(before);
});

test('a run is the only recorded one if the previous campaign.json was damaged', async () => {
  const store = await endedCampaign(ITEMS);
  await store.write('campaign.json', '{"name":');
  const { runs } = await publishCampaign(store, LATER);
  expect(runs).toMatchObject([{ started_at: LATER.startedAt }]);
});

test('a tree must be published again when its publication was interrupted', async () => {
  const store = await endedCampaign(ITEMS, { water: FAILED });
  expect(await isPublished(store)).toBe(false);
  for (const breakIt of [
    () => store.remove('SHA256SUMS'),
    () => store.write('campaign.json', '{'),
  ]) {
    await publishCampaign(store, END);
    expect(await isPublished(store)).toBe(true);
    await breakIt();
    expect(await isPublished(store), String(breakIt)).toBe(false);
  }
});

const at = '2026-11-21T20:01:00.000Z';
test.each([
  ['a job that is looked up again counts once', ['accepted j1', 'found j1'], 1],
  ['another job counts separately', ['accepted j1', 'accepted j2'], 2],
  ['a submission of unknown outcome counts', ['unsure', 'accepted j2'], 2],
  ['found because its name was taken, it counts once', ['unsure', 'refused', 'found j1'], 1],
  ['looked up and absent, it does not count', ['unsure', 'absent', 'accepted j1'], 1],
] as const)('of the submissions of an item, %s', (_, told, number) => {
  const attempts = told.map((words) => {
    const [outcome, remoteId] = words.split(' ') as ['accepted' | 'unsure', string | undefined];
    return { at, outcome, ...(remoteId === undefined ? {} : { remoteId }) };
  });
  expect(countSubmissions(attempts)).toBe(number);
});
