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

test('the letters of charge charts have their full size side by side and on a phone', async () => {
  const hash = '#compare=molecule-00003%20molecule-00004%20molecule-00005';
  for (const options of [{}, PHONE]) {
    const { page } = await opened(browser, folder, hash, options);
    const chart = page.locator('.bars-of-atoms');
    await chart.first().waitFor();
    const scales = () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('.bars-of-atoms')].map((svg) => Math.round(svg.getScreenCTM().a * 100))`,
      );
    await expect.poll(scales).toEqual([100, 100, 100]);
  }
});

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

const PLOT = '#kind=molecule&view=plot';

test('a histogram counts in whole items', async () => {
  const { page } = await opened(browser, folder, `${PLOT}&x=mass`);
  const ticks = await page
    .locator('.brushed [data-mark="y-axis tick label"] text')
    .allTextContents();
  expect(ticks.length).toBeGreaterThan(1);
  expect(ticks.filter((tick) => tick.includes('.'))).toEqual([]);
});

test('a plot names the column of its colours and the unit of times', async () => {
  const { page } = await opened(browser, folder, `${PLOT}&x=took&y=mass&colour=dipole`);
  await page.locator('.brushed svg').waitFor();
  expect(await page.locator('.panel .key').innerText()).toMatch(
    /^Dipole \(D\)\s*\d+\.\d{2}\s*\d+\.\d{2}$/,
  );
  expect(await page.locator('.brushed svg').textContent()).toContain('Done in (s)');
});

test('a histogram offers no colours by number, which its bars cannot show', async () => {
  const { page } = await opened(browser, folder, `${PLOT}&x=mass&colour=dipole`);
  await page.locator('.brushed svg').waitFor();
  expect(await page.locator('.panel .key').count()).toBe(0);
  const choices = await page.getByLabel('Colour').locator('option').allInnerTexts();
  expect(choices).toContain('project');
  expect(choices).not.toContain('Dipole (D)');
});

test('the address of the service has no bracket on a line of its own', async () => {
  const { page } = await opened(browser, folder, '#item=molecule-00004');
  const facts = await page.locator('.facts dd').allInnerTexts();
  expect(facts).toContain('molecules at molecules.example.org/acpype');
});

test('a result of several parts is one text on the cards of a phone', async () => {
  const { page } = await opened(browser, folder, '#kind=molecule', PHONE);
  const cell = page.locator('.cards td.column-result').first();
  await cell.waitFor();
  expect(await cell.innerText()).toBe('C2H6O, 9 atoms, charge 0');
  const tops = await page.evaluate<number[]>(
    `[...document.querySelector('.cards td.column-result').querySelectorAll('.phrase')].map((one) => one.getBoundingClientRect().top)`,
  );
  expect(tops.length).toBe(3);
  expect(new Set(tops).size).toBe(1);
});

test('the table of sequences fits a screen of 1280 pixels', async () => {
  const { page } = await opened(browser, folder, '#kind=sequence');
  const sheet = page.locator('.sheet');
  await sheet.locator('tbody tr').first().waitFor();
  const beyond = await page.evaluate<number>(
    `(() => { const sheet = document.querySelector('.sheet'); return sheet.scrollWidth - sheet.clientWidth; })()`,
  );
  expect(beyond).toBeLessThanOrEqual(1);
});

test('the names of the values of twelve items are on one line each, also beside a long table', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => `molecule-${String(n).padStart(5, '0')}`);
  const hash = `#${new URLSearchParams({ compare: ids.join(' ') }).toString()}`;
  const { page } = await opened(browser, folder, hash);
  await page.locator('.values tbody th').first().waitFor();
  const heights = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.values tbody th')].map((one) => Math.round(one.getBoundingClientRect().height))`,
  );
  expect(heights.length).toBeGreaterThan(8);
  expect(new Set(heights).size).toBe(1);
});

test.each(['#item=sequence-00000', '#compare=sequence-00000%20sequence-00001'])(
  'the title of a plot names its predictor once: %s',
  async (hash) => {
    const { page } = await opened(browser, folder, hash);
    await page.locator('[data-track=disoMine] svg').first().waitFor();
    const titles = await page.locator('[data-track] :is(h3, h4)').allTextContents();
    expect(titles.map((title) => title.trim())).toEqual(
      expect.arrayContaining(['Disorder (DisoMine)', 'Early folding EFoldMine']),
    );
  },
);
