/** The real Temporal UI in a real browser: the details of workflows, in which words of a service are only text. */
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
describe('what a workflow shows in the UI', () => {
  test('a campaign: counts and failures by code, as tables', async () => {
    const { page, details } = await metadataOf('campaign:night');
    await expectText(details, 'night: running');
    await expectText(details, `results: ${night.folder}`);
    expect(await tableOf(details, 0)).toContainEqual(['failed', '3']);
    const codes = (await tableOf(details, 1)).map(([code]) => code);
    expect(codes).toEqual(['JOB_FAILED', 'RESULT_EMPTY', 'SUBMIT_REFUSED', 'SUBMIT_UNSURE']);
    await page.close();
  });

  test('messages of a service are shown as text', async () => {
    const { page, details } = await metadataOf(itemWorkflowId('night', 'benzene'));
    await expectText(details, `SUBMIT_REFUSED: ${HOSTILE.replaceAll('|', '¦')}`);
    for (const element of ['a', 'img', 'script', 'table', 'h1', 'em'])
      expect(await details.locator(`main ${element}, body > ${element}`).count(), element).toBe(0);
    await page.close();
  });

  test('a job that is polled repeatedly does not count as a failure', async () => {
    const id = itemWorkflowId('night', 'seq-1');
    const page = await open(id, 'timeline');
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

async function open(workflowId: string, tab: string): Promise<Page> {
  const page = await context.newPage();
  const { runId } = await night.rig.client.workflow.getHandle(workflowId).describe();
  await page.goto(
    `${UI}/namespaces/default/workflows/${encodeURIComponent(workflowId)}/${runId}/${tab}`,
  );
  return page;
}

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
