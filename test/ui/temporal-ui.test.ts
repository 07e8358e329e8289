/** The real Temporal UI in a real browser: the details of workflows, in which words of a service are only text. */
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { buildItemWorkflowId } from '../../src/workflows/names.ts';
import { launchBrowser } from '../browser.ts';
import { progressOf, Rig, sequences, workerLog, type Started } from '../rig.ts';
import { reconnect } from '../workflows/faulty.ts';
import { GoBetween } from '../workflows/go-between.ts';

/** A possible message of a service: each part would have an effect if markdown was rendered unescaped. */
const HOSTILE =
  '</code><img src=x onerror="document.title=1"> [a](javascript:alert(1)) https://evil.example | ``` # *b* |';

const UI = inject('temporalUi');

let rig: Rig;
let between: GoBetween;
let night: Started;
let browser: Browser;
let context: BrowserContext;

/** Caffeine fails, benzene is refused in hostile words, and the job of a sequence never ends. */
beforeAll(async () => {
  browser = await launchBrowser();
  // The UI requests a news feed: tests must not use the network. A missing proxy leaves the browser its cache.
  const proxy = { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' };
  context = await browser.newContext({ proxy, viewport: { width: 1400, height: 1400 } });
  const faults = [{ name: 'fail', service: 'molecules' }] as const;
  const policy = { deadlineMs: 3_600_000 };
  rig = await Rig.open({ engine: 'synthetic', jobMs: 20, limit: 0, faults, policy });
  between = await GoBetween.open(rig.services.url);
  between.rule = ({ method, body }) =>
    method === 'POST' && body.includes('c1ccccc1')
      ? { status: 400, body: { detail: HOSTILE } }
      : null;
  between.rewrite = ({ method, path }, answer) =>
    method === 'GET' && path.includes('/results/') && answer.status === 200
      ? { status: 202 }
      : answer;
  const through = (url: string) => url.replace(rig.services.url, between.url);
  await reconnect(rig, (one) => ({ ...one, url: through(one.url) }));
  const benzene = { id: 'benzene', smiles: 'c1ccccc1' };
  const caffeine = { id: 'caffeine', smiles: 'Cn1cnc2c1c(=O)n(C)c(=O)n2C' };
  night = await rig.start([caffeine, benzene, ...sequences(1)], 'night');
  const failed = async () => (await progressOf(night.handle)).ended.failed;
  await vi.waitUntil(async () => (await failed()) === 2, { timeout: 60_000, interval: 200 });
});
afterAll(async () => {
  await browser.close();
  await night.handle.terminate();
  await rig.close();
  await between.close();
});

test('a campaign shows its counts and its failures by code', async () => {
  const { page, details } = await metadataOf('campaign:night');
  await expectText(details, 'night: running');
  await expectText(details, `results: ${night.folder}`);
  await expectText(details, '3 items: 2 failed, 1 open');
  await expectText(details, 'Failures: 1 JOB_FAILED, 1 SUBMIT_REFUSED');
  await page.close();
});

test('messages of a service are shown as text', async () => {
  const { page, details } = await metadataOf(buildItemWorkflowId('night', 'benzene'));
  await expectText(details, `SUBMIT_REFUSED: ${HOSTILE}`);
  for (const element of ['a', 'img', 'script', 'table', 'h1', 'em'])
    expect(await details.locator(`main ${element}, body > ${element}`).count(), element).toBe(0);
  await page.close();
});

test('a job that is polled repeatedly does not count as a failure', async () => {
  const id = buildItemWorkflowId('night', 'seq-0');
  const page = await open(id, 'timeline');
  await page.getByText(/job \S+: wait for it/).waitFor();
  const pending = async () =>
    (await rig.client.workflow.getHandle(id).describe()).raw.pendingActivities?.[0];
  await expect.poll(async () => (await pending())?.attempt).toBeGreaterThan(2);
  // temporal.api.enums.v1.ApplicationErrorCategory: BENIGN
  expect((await pending())?.lastFailure?.applicationFailureInfo?.category).toBe(1);
  const logged = workerLog.filter((line) => line.includes('NotYet') && line.includes(id));
  expect(logged).toEqual([]);
  await page.close();
});

async function open(workflowId: string, tab: string): Promise<Page> {
  const page = await context.newPage();
  const { runId } = await rig.client.workflow.getHandle(workflowId).describe();
  const path = `namespaces/default/workflows/${encodeURIComponent(workflowId)}/${runId}/${tab}`;
  await page.goto(`${UI}/${path}`);
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
