/** The page of a campaign with more rows than a browser can show, in a real browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { publishCampaign } from '../../../src/report/publish.ts';
import { launchBrowser } from '../../browser.ts';
import { aMolecule, aSequence } from '../../store/an-item.ts';
import { END, endedCampaign, FAILED } from '../a-campaign.ts';
import { accessProblems, opened } from './opened.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test('the page opens from disk without errors or requests, is accessible, and links to items.csv', async () => {
  const rows = [aMolecule('aspirin'), aSequence('ubiquitin'), aSequence('talin')];
  const store = await endedCampaign(rows, { talin: FAILED });
  await publishCampaign(store, END, { mostOnPage: 2 });
  const { page, errors, requests } = await opened(browser, store.location);
  expect(await page.locator('strong').innerText()).toBe('2 of 3 items succeeded');
  expect(await accessProblems(page)).toEqual([]);
  expect(errors).toEqual([]);
  expect(requests).toEqual([]);
  await page.getByRole('link', { name: 'items.csv' }).waitFor();
});
