/** What a reader must be able to see and hit, in a real browser: on a phone, in plots and in comparisons. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { launchBrowser } from '../../browser.ts';
import { opened } from './opened.ts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hundredfold-readable-'));
  const { store, end } = await writeFinishedTree(folder, 12);
  await publishCampaign(store, end);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  '',
  '#item=sequence-00000',
  '#item=molecule-00004',
  '#compare=molecule-00003%20molecule-00004',
])('on a touch screen no button for saving covers its picture: %s', async (hash) => {
  const { page, errors } = await opened(browser, folder, hash, PHONE);
  await page.locator('.picture svg').first().waitFor();
  const overlaps = await page.evaluate<string[]>(`(() => {
      const shown = [...document.querySelectorAll('.picture')];
      return shown.flatMap((picture) => {
        const buttons = picture.querySelector('.picture-buttons');
        const box = buttons.getBoundingClientRect();
        return [...picture.querySelectorAll('svg')]
          .map((svg) => svg.getBoundingClientRect())
          .filter(({ width }) => width > 0)
          .filter(({ top, bottom }) => box.top < bottom - 0.5 && box.bottom > top + 0.5)
          .map(() => buttons.querySelector('button').getAttribute('aria-label'));
      });
    })()`);
  expect(overlaps).toEqual([]);
  expect(errors).toEqual([]);
});

test.each(['molecule-00004', 'sequence-00000'])(
  'the arrows and signs of %s are large enough to see and to touch',
  async (id) => {
    const { page } = await opened(browser, folder, `#item=${id}`, PHONE);
    const buttons = page.locator('.buttons button[aria-label]');
    await buttons.first().waitFor();
    for (const button of await buttons.all()) {
      const [box, icon] = [await button.boundingBox(), await button.locator('svg').boundingBox()];
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
      expect(icon?.width).toBeGreaterThanOrEqual(16);
    }
  },
);

test('filters and columns are those of the kind that is shown', async () => {
  const { page } = await opened(browser, folder, '#kind=alignment');
  await page.getByText('Filter by value').click();
  const offered = await page.locator('.bounds select option').allInnerTexts();
  expect(offered).toContain('Conservation (%)');
  expect(offered).toContain('Done in (s)');
  expect(offered).not.toContain('Atoms');
  await page.locator('summary', { hasText: 'Columns' }).click();
  const groups = await page.locator('.groups legend').allInnerTexts();
  expect(groups).toEqual(['Item', 'alignments', 'your columns', 'job']);
});

test('the cards of a phone name the unit of each number', async () => {
  const { page } = await opened(browser, folder, '#kind=molecule', PHONE);
  const titles = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.cards tbody tr:first-child td')].map((cell) => cell.dataset.title)`,
  );
  expect(titles).toEqual(expect.arrayContaining(['Mass (Da)', 'Dipole (D)']));
});
