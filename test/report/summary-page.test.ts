/** The report of a campaign with more rows than a browser can show: counts, and the tables instead. */
import { expect, test } from 'vitest';
import { publishCampaign } from '../../src/report/publish.ts';
import { REPORT, RESULT_TABLES } from '../../src/store/layout.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { CAMPAIGN, END, endedCampaign, FAILED } from './a-campaign.ts';

const ROWS = [aMolecule('aspirin'), aSequence('ubiquitin'), aSequence('talin')];

test('a campaign with more rows than the page can show has a page with counts and links to its tables', async () => {
  const store = await endedCampaign(ROWS, { talin: FAILED });
  await publishCampaign(store, END);
  await store.write('report-data/0.js', 'of an earlier report');
  const whole = await store.readText('items.csv');
  await publishCampaign(store, END, { mostOnPage: 2 });
  const html = (await store.readText(REPORT)) ?? '';
  expect(html).toContain(`<h1>${CAMPAIGN.name}</h1>`);
  expect(html).toContain('2 of 3 items succeeded');
  expect(html).toMatch(/molecule.*1.*sequence.*2/s);
  expect(html).toContain('A campaign of more than 2 rows');
  expect(html).toContain('2026-11-21 20:00 to 2026-11-22 06:00 UTC (completed)');
  expect(html).not.toContain('<script');
  expect(html.length).toBeLessThan(10_000);
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links).toEqual(expect.arrayContaining(['items.csv', 'failed.csv', ...RESULT_TABLES]));
  for (const link of links) expect(await store.exists(link), link).toBe(true);
  expect(await store.exists('report-data/0.js')).toBe(false);
  // The tables are whole.
  expect(await store.readText('items.csv')).toBe(whole);
  expect((await store.readText('SHA256SUMS'))?.split('\n')).toContainEqual(
    expect.stringMatching(/ {2}report\.html$/),
  );
});

test('a campaign with exactly as many rows has the whole report', async () => {
  const store = await endedCampaign(ROWS);
  await publishCampaign(store, END, { mostOnPage: 3 });
  expect(await store.readText(REPORT)).toContain('<script');
});
