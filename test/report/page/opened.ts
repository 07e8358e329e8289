/** A report, opened from disk in the one browser of a test file. A test fails at an error or a request of the page. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import type { Kind } from '../../../src/domain/campaign.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { launchBrowser } from '../../browser.ts';
import { listKindNames } from '../../../src/kinds/registry.ts';

let browser: Browser;
const folders: string[] = [];
/** Errors on the console and thrown ones, of the current test; a test removes what it expects. */
export const errors: string[] = [];
/** Every address that was requested in the current test, except the reports themselves. */
export const requests: string[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect([errors.splice(0), requests.splice(0)]).toEqual([[], []]);
});
afterAll(async () => {
  await browser.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Of an ended campaign with items of each kind; for all tests of a file. */
export async function writeReport(
  each: number,
  kinds: readonly Kind[] = listKindNames(),
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-report-'));
  folders.push(folder);
  const { store, end } = await writeFinishedTree(folder, each, kinds);
  await publishCampaign(store, end);
  return folder;
}

export async function opened(folder: string, hash = ''): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const address = pathToFileURL(join(folder, 'report.html')).href;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address) requests.push(request.url());
  });
  await page.goto(address + hash);
  await page.locator('h1').waitFor();
  return page;
}

/** axe-core finds nothing serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  // Not as a script of the page: its policy allows only its own.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  const problems = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  expect(problems).toEqual([]);
}

/** Dark, and on a phone, where nothing is beyond the right edge. */
export async function expectAccessibleOnPhone(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  const beyond = 'document.documentElement.scrollWidth - innerWidth';
  expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0);
}
