/** A report, opened from disk in a real browser, with all errors that occurred in it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

interface Opened {
  readonly page: Page;
  /** Errors on the console and thrown ones. */
  readonly errors: readonly string[];
  /** Every address that was requested, except the report itself. */
  readonly requests: readonly string[];
}

export async function opened(
  browser: Browser,
  folder: string,
  hash = '',
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const address = pathToFileURL(join(folder, 'report.html')).href;
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address) requests.push(request.url());
  });
  await page.goto(address + hash);
  await page.locator('h1').waitFor();
  return { page, errors, requests };
}

/** Violations that axe-core rates serious or critical, one per line. */
export async function accessProblems(page: Page): Promise<readonly string[]> {
  // Not as a script of the page: its policy allows only its own.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
