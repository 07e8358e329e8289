/** A small campaign has a small page: nothing is drawn from fewer data than it needs. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import { KINDS, type Kind } from '../../../src/domain/item.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { launchBrowser } from '../../browser.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { opened } from './opened.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function published(rows: number, kinds: readonly Kind[]): Promise<string> {
  const folder = join(await temporaryFolder(), 'tree');
  const { store, end } = await writeFinishedTree(folder, rows, kinds);
  await publishCampaign(store, end);
  return folder;
}

/** Each picture, card and figure of the page with fewer than four marks or without a word. */
async function halfEmpty(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const marks = (svg) => svg.querySelectorAll('circle, rect, [data-mark=line] path, .spread > path').length;
    const pictures = [...document.querySelectorAll('.chart svg, .spread')]
      .filter((svg) => marks(svg) < 4)
      .map((svg) => 'picture: ' + svg.getAttribute('aria-label'));
    const empty = [...document.querySelectorAll('.measure, .chart, .panel, figure, .pair')]
      .filter((one) => one.textContent.trim() === '' || one.children.length === 0)
      .map((one) => 'empty: ' + one.outerHTML.slice(0, 80));
    return [...pictures, ...empty];
  })()`);
}

const charts = (page: Page) => page.locator('.chart svg, .spread, .bar svg');

const CASES = [
  { rows: 1, kinds: ['molecule'] as readonly Kind[] },
  { rows: 1, kinds: ['shifts'] as readonly Kind[] },
  ...[1, 3].map((rows) => ({ rows, kinds: KINDS })),
];

describe.each(CASES)('$rows of $kinds', ({ rows, kinds }) => {
  test('the page shows numbers, and no chart of fewer than four values', async () => {
    const folder = await published(rows, kinds);
    const { page, errors } = await opened(browser, folder);
    await page.locator('.logistics summary').click();
    await page.locator('section[aria-labelledby=times] td').first().waitFor();
    expect(await charts(page).count()).toBe(rows * kinds.length < 12 ? 0 : 2);
    expect(await halfEmpty(page)).toEqual([]);
    // Each card shows its values, and each of several leads to its item.
    for (const card of await page.locator('.measure').all()) {
      const values = await card.locator('.few a').count();
      const same = await card.locator('.same').count();
      expect([values, same]).toEqual(same === 0 ? [rows, 0] : [0, 1]);
    }
    const views = page.getByRole('group', { name: 'Above the table' });
    const isLarge = rows * kinds.length >= 4;
    expect(await views.getByText('Plot').count()).toBe(isLarge ? 1 : 0);
    const hasStructures = kinds.includes('molecule') && rows > 1;
    expect(await views.getByText('Structures').count()).toBe(hasStructures ? 1 : 0);
    expect(errors).toEqual([]);

    // From a link.
    for (const axes of ['', '&x=took&y=waited']) {
      const plot = await opened(browser, folder, `#kind=${kinds[0]}&view=plot${axes}`);
      await plot.page.getByText('a plot needs at least 4').waitFor();
      expect(await plot.page.locator('.brushed').count()).toBe(0);
      expect(plot.errors).toEqual([]);
    }
  });
});

test('charts are drawn as soon as there are enough data', async () => {
  const four = await opened(browser, await published(4, ['molecule']), '#view=plot&x=mass&y=atoms');
  await four.page.locator('.brushed circle').first().waitFor();
  expect(await four.page.locator('.brushed circle').count()).toBe(4);
  expect(await four.page.locator('.spread').count()).toBeGreaterThan(0);

  const { page } = await opened(browser, await published(60, ['shifts']));
  await page.locator('.logistics summary').click();
  await page.locator('section[aria-labelledby=submissions] .chart svg').first().waitFor();
  expect(await page.locator('section[aria-labelledby=submissions] .chart svg').count()).toBe(1);
  expect(await page.locator('section[aria-labelledby=times] .chart svg').count()).toBe(2);
});

test('jobs far below the limit are counted in a sentence, not drawn below an empty chart', async () => {
  const { page } = await opened(browser, await published(14, ['shifts']));
  await page.locator('.logistics summary').click();
  await page.locator('section[aria-labelledby=times] .chart svg').first().waitFor();
  const submissions = page.locator('section[aria-labelledby=submissions]');
  expect(await submissions.innerText()).toContain(
    '14 jobs accepted; at most 14 sent in any 1 h, of 100',
  );
  expect(await submissions.locator('svg').count()).toBe(0);
});

test('a comparison of one item says that it needs two', async () => {
  const folder = await published(2, ['molecule']);
  for (const ids of ['nothing', 'molecule-00000 nothing']) {
    const hash = `#${new URLSearchParams({ compare: ids }).toString()}`;
    const { page, errors } = await opened(browser, folder, hash);
    await page.getByText('a comparison needs two').waitFor();
    expect(await page.locator('table').count()).toBe(0);
    expect(errors).toEqual([]);
  }
});

test('a median between two whole numbers is not rounded', async () => {
  const { page } = await opened(browser, await published(4, ['molecule']));
  const card = page.locator('.measure', { hasText: 'Atoms' });
  // 6, 9, 10 and 13 atoms.
  expect(await card.locator('.ends').innerText()).toMatch(/^6\s+median 9\.5\s+13$/);
});
