/** The times of accepted jobs in the output tree, and what the report counts in the rolling window. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ELEMENT, type PageData } from '../../src/report-page/data.ts';
import { itemsTable } from '../promises.ts';
import { openRig, openWithGoBetween } from './faulty.ts';
import { sequences } from '../rig.ts';

const BUDGET = { limit: 10, windowMs: 4_000 };

/** The data of the report page. */
async function pageData(folder: string): Promise<PageData> {
  const html = await readFile(join(folder, 'report.html'), 'utf8');
  const base64 = new RegExp(`id="${ELEMENT.page}">([^<]*)<`).exec(html)?.[1] ?? '';
  return JSON.parse(inflateRawSync(Buffer.from(base64, 'base64')).toString()) as PageData;
}

function mostInAnyWindow(stamps: readonly number[], windowMs: number): number {
  const inWindow = (end: number) => stamps.filter((at) => at <= end && at > end - windowMs).length;
  return Math.max(...stamps.map(inWindow));
}

const ms = (iso: unknown): number => Date.parse(String(iso));

test('each job has the times of its POST and its answer, between which the service counted it', async () => {
  const faults = [
    { name: 'slow-after', ms: 500 },
    { name: 'slow-after', ms: 1_500, probability: 0.5, seed: 1 },
  ] as const;
  const rig = await openRig({ ...BUDGET, faults, jobMs: 6_000 });
  const { folder } = await rig.run(sequences(24));
  const journal = rig.services.journal();
  const stamps = new Map(journal.map(({ requestId, at }) => [requestId, at]));
  const rows = await itemsTable(folder);
  expect(rows).toHaveLength(24);
  for (const { path = '', remote_id: job = '', sent_at, submitted_at, queued_at } of rows) {
    const stamp = stamps.get(job) ?? Number.NaN;
    expect(ms(sent_at), `sent_at of ${path}`).toBeLessThanOrEqual(stamp);
    expect(ms(submitted_at), `submitted_at of ${path}`).toBeGreaterThanOrEqual(stamp);
    if (queued_at !== '') expect(ms(queued_at), `queued_at of ${path}`).toBe(stamp);
    const item = JSON.parse(await readFile(join(folder, path, 'item.json'), 'utf8')) as unknown;
    const times = { sent_at, answered_at: submitted_at };
    const [attempt] = [{ at: submitted_at, outcome: 'accepted', ...times }];
    expect(item).toMatchObject({ submitted_at, ...times, attempts: [attempt] });
  }
  // A job that has ended before its first poll does not report it.
  expect(rows.filter((row) => row['queued_at'] !== '').length).toBeGreaterThan(5);
  const { predictions: sent = [] } = (await pageData(folder)).sent;
  expect(sent).toHaveLength(24);
  expect(mostInAnyWindow(sent, BUDGET.windowMs)).toBeLessThanOrEqual(BUDGET.limit);
  const waits = rows.map((row) => ms(row['submitted_at']) - ms(row['sent_at']));
  expect(Math.max(...waits), 'the longest wait for an answer').toBeGreaterThan(1_000);
});

test('a job whose answer was lost was accepted between its request and the look-up that found it', async () => {
  const { rig, between } = await openWithGoBetween({ jobMs: 300 });
  between.rewrite = ({ method }, answer) =>
    method === 'POST' ? { status: 502, body: 'Bad Gateway' } : answer;
  const { folder } = await rig.run(sequences(1));
  const [job] = rig.services.journal();
  const [row] = await itemsTable(folder);
  const text = await readFile(join(folder, row?.['path'] ?? '', 'item.json'), 'utf8');
  const { sent_at, submitted_at, answered_at, attempts } = JSON.parse(text) as Record<
    string,
    unknown
  >;
  expect(attempts).toMatchObject([
    { outcome: 'unsure', sent_at },
    { outcome: 'found', sent_at, at: submitted_at },
  ]);
  expect(answered_at).toBeNull();
  expect(row).toMatchObject({ sent_at, submitted_at });
  expect(ms(sent_at)).toBeLessThanOrEqual(job?.at ?? 0);
  expect(ms(submitted_at)).toBeGreaterThanOrEqual(job?.at ?? Number.NaN);
});
