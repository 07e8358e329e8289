/** The real Temporal UI in a real browser: the documented queries, and the details of workflows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { launchBrowser } from '../browser.ts';
import { workerLog } from '../rig.ts';
import { HOSTILE, openNight, type Night } from './night.ts';

let night: Night;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [night, browser] = await Promise.all([openNight(), launchBrowser()]);
  // The UI requests a news feed: tests must not use the network. A missing proxy leaves the browser its cache.
  const proxy = { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' };
  context = await browser.newContext({ proxy, viewport: { width: 1400, height: 1400 } });
});
afterAll(async () => {
  await browser.close();
  await night.close();
});

const UI = inject('temporalUi');
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/temporal-ui.md'), 'utf8');
const ROW = /^\| ([^|]+?) +\| `([^`]+)` +\| \[open\]\((\S+)\) +\|$/gm;
const DOCUMENTED = [...PAGE.matchAll(ROW)].map(([, shows = '', query = '', link = '']) => ({
  shows,
  query,
  link,
}));

const ALL = ['caffeine', 'benzene', 'ethane', 'seq-0', 'seq-1', 'seq-2', 'seq-3'];

/** The results of each query for the campaign `night`, by the description on the page. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'the campaign and all its items': [...ALL, 'campaign:night'],
  'failed items': ['caffeine', 'benzene', 'seq-2'],
  'items that did not succeed, for any reason': ['caffeine', 'benzene', 'ethane', 'seq-2'],
  'items that failed with a code': ['caffeine'],
  'wrong results': ['seq-2'],
  'items that wait for your decision': ['ethane'],
  'all items of a kind': ALL.filter((id) => id.startsWith('seq-')),
  'current jobs at a service, all campaigns': ['seq-1'],
  'items that took longer, including waiting': [
    ...['caffeine', 'benzene', 'ethane', 'seq-0', 'seq-2', 'seq-3'],
  ],
  'one id in all campaigns': ['caffeine'],
  'ids with the same prefix': ALL.filter((id) => id.startsWith('seq-')),
  "the item behind a job's id at the service": ['seq-0'],
  'items that were terminated manually': ['seq-3'],
  'open campaigns': ['campaign:night'],
  'the budgets': ['budget:molecules', 'budget:predictions'],
};

/** The examples of the page, with the current names and times. */
function hereAndNow(query: string): string {
  return query
    .replace('2026-11-21T22:00:00Z', new Date().toISOString())
    .replace('"2h"', '"1ms"')
    .replace('dda8e4dea9f2451f9266e62ef3e0dfc5', night.jobs.get('seq-0') ?? '');
}

/** Workflow ids of this campaign: other tests use the same server. */
function ofNight(ids: readonly string[]): string[] {
  const address = night.rig.settings[0]?.reference.address ?? '';
  return ids.flatMap((id) => {
    if (id === 'campaign:night') return [id];
    if (id.startsWith('item:night:')) return [id.slice('item:night:'.length)];
    return id.startsWith('budget:') && id.endsWith(address)
      ? [id.slice(0, -address.length - 1)]
      : [];
  });
}

describe('the queries of docs/temporal-ui.md', () => {
  test('are all covered here', () => {
    expect(DOCUMENTED.map(({ shows }) => shows).sort()).toEqual(Object.keys(FOUND).sort());
  });

  test('open as links in the UI, and find what they say', async () => {
    const page = await context.newPage();
    for (const { shows, query, link } of DOCUMENTED) {
      const { pathname, searchParams } = new URL(link);
      expect(searchParams.get('query')).toBe(query);
      await page.goto(`${UI}${pathname}?query=${encodeURIComponent(hereAndNow(query))}`);
      const rows = page.locator('tbody a[href*="/workflows/"]');
      await expect
        .poll(async () => ofNight(await rows.allInnerTexts()).sort(), {
          timeout: 30_000,
          message: shows,
        })
        .toEqual([...(FOUND[shows] ?? [])].sort());
    }
    await page.close();
  });
});

describe('what a workflow shows in the UI', () => {
  test('a campaign: counts, failures by code', async () => {
    const { page, details } = await metadataOf('campaign:night');
    await expectText(details, 'night: running');
    await expectText(details, `results: ${night.folder}`);
    expect(await tableOf(details, 0)).toEqual([
      ...[
        ['succeeded', '1'],
        ['failed', '4'],
        ['held', '1'],
      ],
      ...[
        ['open', '3'],
        ['all', '9'],
      ],
    ]);
    expect(await tableOf(details, 1)).toEqual([
      ...[
        ['ITEM_ENDED_BY_HAND', '1'],
        ['JOB_FAILED', '1'],
        ['RESULT_EMPTY', '1'],
      ],
      ...[
        ['SUBMIT_REFUSED', '1'],
        ['SUBMIT_UNSURE', '1'],
      ],
    ]);
    await page.close();
  });

  test('an item: its input, options, service, job, attempts, timing and files', async () => {
    const { page, details } = await metadataOf(itemWorkflowId('night', 'seq-0'));
    await expectText(details, 'seq-0 (sequence) of night: succeeded');
    await expectText(details, /input: input\.fasta, [\d.]+ (bytes|kB), SHA-256 [0-9a-f]{12}…/);
    await expectText(details, 'options: predictors dynamine, disomine, efoldmine, agmata');
    await expectText(details, /service: predictions at test-/);
    await expectText(details, `job: ${night.jobs.get('seq-0') ?? ''}`);
    await expectText(details, /timing: .*run, finished \d+ \w{3}/);
    await expectText(details, /files: 4 fetched \([\d.]+ (bytes|kB)\), in /);
    await expectText(details, `${night.folder}/sequences/seq-0`);
    await expectText(details, /Attempts, oldest first:\s*.* UTC accepted/);
    await page.close();
  });

  test('messages of a service are shown as text', async () => {
    const { page, details } = await metadataOf(itemWorkflowId('night', 'benzene'));
    await expectText(details, `SUBMIT_REFUSED: ${HOSTILE.replaceAll('|', '¦')}`);
    for (const element of ['a', 'img', 'script', 'table', 'h1', 'em'])
      expect(await details.locator(`main ${element}, body > ${element}`).count(), element).toBe(0);
    await page.close();
  });

  test('a budget: its window, its slots and waiting requests', async () => {
    const { reference } = night.rig.settings[1] ?? {};
    const id = `budget:predictions:${reference?.address ?? ''}`;
    const { page, details } = await metadataOf(id);
    expect(await tableOf(details, 0)).toEqual([
      [`credential ${reference?.credential ?? ''}`, '4 of 4 in 1 h', '0'],
    ]);
    await expectText(
      details,
      /Slots become free:\s*credential \w+: \d at \d+ \w{3} \d\d:\d\d:\d\d UTC/,
    );
    expect(await tableOf(details, 1)).toEqual([
      ['night', '', reference?.credential ?? '', '4', '2', '3'],
    ]);
    await page.close();
  });

  test('a timeline shows the submissions, and when a slot becomes free', async () => {
    const { reference } = night.rig.settings[1] ?? {};
    const page = await timelineOf(`budget:predictions:${reference?.address ?? ''}`);
    // There are two timers if an answer that is taken in later came earlier.
    const slotFrees = page.getByText(/slot frees (\d+ \w{3} )?\d\d:\d\d:\d\d UTC/);
    await slotFrees.first().waitFor();
    await page.getByText('sequence seq-0 of night').waitFor();
    await page.close();
  });

  test('a job that is polled repeatedly does not count as a failure', async () => {
    const id = itemWorkflowId('night', 'seq-1');
    const page = await timelineOf(id);
    await page.getByText(`job ${night.jobs.get('seq-1') ?? ''}: wait for it`).waitFor();
    const { raw } = await night.rig.client.workflow.getHandle(id).describe();
    expect(raw.pendingActivities?.[0]?.attempt).toBeGreaterThan(2);
    const info = raw.pendingActivities?.[0]?.lastFailure?.applicationFailureInfo;
    // temporal.api.enums.v1.ApplicationErrorCategory: BENIGN
    expect(info?.category).toBe(1);
    // The SDK may log the last poll of seq-3, which was terminated meanwhile.
    const logged = workerLog.filter((line) => line.includes('NotYet') && line.includes(id));
    expect(logged).toEqual([]);
    await page.close();
  });
});

test('every activity and timer has a summary', async () => {
  const budgets = night.rig.settings.map(
    ({ reference: { service, address } }) => `budget:${service}:${address}`,
  );
  for (const id of [
    'campaign:night',
    ...ALL.map((one) => itemWorkflowId('night', one)),
    ...budgets,
  ]) {
    const { events } = await night.rig.client.workflow.getHandle(id).fetchHistory();
    for (const event of events ?? []) {
      const { activityTaskScheduledEventAttributes: activity, timerStartedEventAttributes: timer } =
        event;
      if (!activity && !timer) continue;
      const summary = Buffer.from(event.userMetadata?.summary?.data ?? []).toString();
      expect(summary, `${id}: ${activity?.activityType?.name ?? 'timer'}`).toMatch(/^".{5,}"$/);
    }
  }
});

async function open(workflowId: string, tab: string): Promise<Page> {
  const page = await context.newPage();
  const { runId } = await night.rig.client.workflow.getHandle(workflowId).describe();
  await page.goto(
    `${UI}/namespaces/default/workflows/${encodeURIComponent(workflowId)}/${runId}/${tab}`,
  );
  return page;
}

const timelineOf = (workflowId: string) => open(workflowId, 'timeline');

/** Markdown is rendered in frames of its own; the last is that of the current details. Opened again until it shows them. */
async function metadataOf(workflowId: string): Promise<{ page: Page; details: FrameLocator }> {
  const page = await open(workflowId, 'user-metadata');
  const details = page.locator('iframe').last().contentFrame();
  const opened = async (): Promise<void> => {
    await page.reload();
    await page.getByText('Current Details').waitFor();
    await details.getByText(/./).first().waitFor({ timeout: 5_000 });
  };
  await vi.waitFor(opened, { timeout: 60_000, interval: 500 });
  return { page, details };
}

async function expectText(details: FrameLocator, text: string | RegExp): Promise<void> {
  const body = details.locator('body');
  await expect
    .poll(async () => (await body.innerText()).replaceAll(/\s+/g, ' '), { timeout: 30_000 })
    .toMatch(
      typeof text === 'string' ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text,
    );
}

async function tableOf(details: FrameLocator, index: number): Promise<string[][]> {
  await details.locator('table').nth(index).waitFor();
  const rows = await details.locator('table').nth(index).locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) => (await row.locator('td').allInnerTexts()).map((cell) => cell.trim())),
  );
}
