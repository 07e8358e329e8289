/** What the report shows about the rolling window, read in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishCampaign } from '../../../src/report/publish.ts';
import { openFileStore } from '../../../src/store/filesystem.ts';
import { prepareCampaign } from '../../../src/store/prepare.ts';
import { launchBrowser } from '../../browser.ts';
import { aSequence } from '../../store/an-item.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { CAMPAIGN, END, endItem } from '../a-campaign.ts';
import { opened } from './opened.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const START = Date.parse(END.startedAt);
const SETTINGS = {
  services: {
    predictions: {
      url: 'https://predictions.example.org',
      budget: { limit: 30, windowMs: 60_000 },
    },
  },
};

/** Sent and answered, ms after the start. */
type Post = readonly [sent: number, answered: number];

/** What the report of a campaign with these jobs shows about the window. */
async function claimOf(posts: readonly Post[]): Promise<string> {
  const store = await openFileStore(await temporaryFolder());
  const items = posts.map((_, n) => aSequence(`s${n}`));
  await prepareCampaign(store, { ...CAMPAIGN, settings: SETTINGS }, items);
  for (const [n, item] of items.entries()) {
    const [sentAt, answeredAt] = (posts[n] ?? []).map((ms) => new Date(START + ms).toISOString());
    if (sentAt === undefined || answeredAt === undefined) throw new Error('no times');
    const times = { sentAt, answeredAt };
    const attempts = [{ at: answeredAt, outcome: 'accepted' as const, remoteId: 'r', ...times }];
    await endItem(store, item, { attempts });
  }
  await publishCampaign(store, END);
  const { page, errors } = await opened(browser, store.location);
  await page.locator('.logistics summary').click();
  const words = await page.locator('section[aria-labelledby=submissions] figcaption').innerText();
  expect(errors).toEqual([]);
  return words.slice(words.indexOf('): ') + 3);
}

const times = (count: number, of: (n: number) => Post): Post[] =>
  Array.from({ length: count }, (_, n) => of(n));

test('a job counts from the moment it was sent', async () => {
  // Their answers are in the window of the next 30.
  const late = times(30, (n) => [0, 30 + 85 * n]);
  const next = times(30, () => [60_000, 60_130]);
  expect(await claimOf([...late, ...next])).toBe(
    '60 jobs accepted; at most 30 sent in any 60 s, of 30 allowed.',
  );
}, 180_000);

test('more jobs than allowed are shown', async () => {
  const many = times(40, (n) => [n * 1_000, n * 1_000 + 500]);
  expect(await claimOf(many)).toBe('40 jobs accepted; at most 40 sent in any 60 s, of 30 allowed.');
}, 180_000);
