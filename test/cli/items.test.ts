/** `items` without a running server: everything is read from the tree. For running campaigns see background.test.ts. */
import { expect, test } from 'vitest';
import { itemLines, type ItemLine } from '../../src/campaigns/item-lines.ts';
import { treeIfAny } from '../../src/campaigns/campaign-tree.ts';
import type { ItemState } from '../../src/domain/states.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { writeInvalidRows } from '../../src/store/invalid-rows.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { desk, type Desk } from './command.ts';

const ENDED = '2026-11-21T02:14:33.000Z';

/** 302 items: two molecules that did not succeed, 299 sequences that did, one that waits; and a refused row. */
async function tree(at: Desk): Promise<void> {
  const store = await openFileStore(at.path('results', 'night'));
  const sequences = Array.from({ length: 300 }, (_, n) => aSequence(`s-${n}`));
  const molecules = [aMolecule('broken'), aMolecule('held')];
  const campaign = { name: 'night', manifestDigests: [], settings: {} };
  await prepareCampaign(store, campaign, [...molecules, ...sequences]);
  const end = async (
    kind: 'molecule' | 'sequence',
    id: string,
    state: ItemState,
    code?: string,
  ) => {
    const record = await readItem(store, kind, id);
    if (!record) throw new Error(`${id} was not laid out`);
    const error = code === undefined ? null : { code, message: 'its words,\nin two lines' };
    const ended = { ...record, state, error, remoteId: `job-${id}`, finishedAt: ENDED };
    await writeItem(store, ended, { durable: false });
  };
  await end('molecule', 'broken', 'failed', 'JOB_FAILED');
  await end('molecule', 'held', 'held', 'SUBMIT_UNSURE');
  for (let n = 1; n < 300; n += 1) await end('sequence', `s-${n}`, 'succeeded');
  const refused = { id: 'odd', kind: null, source: { file: 'a.csv', line: 9 }, row: { id: 'odd' } };
  const rows = [{ ...refused, code: 'SMILES_UNREADABLE', message: 'no molecule' }];
  await writeInvalidRows(
    store,
    (async function* () {
      yield* rows;
    })(),
  );
}

test('`items` prints all items or the selected ones, as one document or a table, without a server', async () => {
  const at = desk();
  await tree(at);
  const document = await at.runs(0, ['items', 'night', '--json']);
  const { items, ...head } = JSON.parse(document.stdout) as { items: Record<string, unknown>[] };
  expect(head).toEqual({ campaign: 'night', out: at.path('results', 'night') });
  const ids = Array.from({ length: 300 }, (_, n) => `s-${n}`);
  expect(items.map(({ id }) => id)).toEqual(['broken', 'held', ...ids, 'odd']);
  expect(items[0]).toEqual({
    id: 'broken',
    kind: 'molecule',
    state: 'failed',
    code: 'JOB_FAILED',
    message: 'its words,\nin two lines',
    remoteId: 'job-broken',
    path: 'molecules/broken',
    since: ENDED,
  });
  expect(items[2]).toMatchObject({ id: 's-0', state: 'waiting', since: null, remoteId: null });
  expect(items.at(-1)).toMatchObject({ kind: null, state: 'invalid', path: null });

  const failed = await at.runs(0, ['items', 'night', '--state', 'failed']);
  expect(document.stderr + failed.stderr).toBe('');
  const [header = '', row, ...rest] = failed.stdout.split('\n');
  expect(header).toMatch(/^ID +KIND +STATE +SINCE +CODE +PATH +REMOTE_ID +MESSAGE$/);
  expect(row).toMatch(
    /^broken {2}molecule {2}failed {2}2026-11-2\dT\d\d:\d\d:33 {2}JOB_FAILED {2}molecules\/broken {2}job-broken {2}its words, in two lines$/,
  );
  expect(rest).toEqual(['']);
  const none = await at.runs(0, ['items', 'night', '--state', 'held', '--code', 'JOB_FAILED']);
  expect(none.stderr).toBe('night has no such item.\n');
  const wrong = await at.runs(1, ['items', 'night', '--state', 'broken']);
  expect(wrong.stderr).toContain('waiting, running');
  expect(at.servers(), 'no server was started for it').toEqual([]);
});

test('`items` takes the state of an open item from Temporal, unless its end is on disk already', async () => {
  const at = desk();
  await tree(at);
  const found = await treeIfAny(at.path('results', 'night'), 'night');
  if (!found) throw new Error('there is no tree');
  const startedAt = '2026-11-21T01:00:00.000Z';
  const running = { state: 'running', remoteId: 'job-x', startedAt } as const;
  const open = new Map(['s-0', 's-1'].map((id) => [id, running]));
  const lines: ItemLine[] = [];
  for await (const line of itemLines(found, open, { kind: 'sequence' })) lines.push(line);
  expect(lines[0]).toMatchObject({ state: 'running', remoteId: 'job-x', since: startedAt });
  expect(lines[1]).toMatchObject({ state: 'succeeded', remoteId: 'job-s-1', since: ENDED });
});
