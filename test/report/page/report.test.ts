/** The report in a real browser, opened from disk as by a user: overview, table and plots. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Download, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, opened, writeReport } from './opened.ts';

type Cells = Readonly<Record<string, string>>;

let folder: string;
let items: readonly Cells[];
/** Those with a result. */
let molecules: readonly Cells[];

beforeAll(async () => {
  folder = await writeReport(26);
  molecules = parse(await readFile(join(folder, 'tables', 'molecules.csv')), { columns: true });
  items = parse(await readFile(join(folder, 'items.csv')), { columns: true });
});

const shownIds = (page: Page): Promise<string[]> =>
  page.locator('.cards tbody td:first-child a').allTextContents();

const idsOf = (rows: readonly Cells[]): string[] => rows.map(({ id = '' }) => id);
const massOf = (cells: Cells): number => Number(Number(cells['molecular_mass']).toFixed(2));
const moleculesThat = (state: string): string[] =>
  idsOf(items.filter((item) => item['kind'] === 'molecule' && item['state'] === state));

describe('overview and table', () => {
  test('count what items.csv lists, and a number leads to its rows', async () => {
    const page = await opened(folder);
    const succeeded = items.filter(({ state }) => state === 'succeeded').length;
    expect(await page.locator('.headline').innerText()).toBe(
      `${succeeded} of ${items.length} items succeeded`,
    );
    expect(await page.locator('.failure').count()).toBe(
      new Set(items.map((item) => item['error_code']).filter(Boolean)).size,
    );
    const failed = moleculesThat('failed');
    const number = page.getByLabel(/ molecule, failed: show them/);
    expect(await number.innerText()).toBe(String(failed.length));
    await number.click();
    await expect.poll(() => shownIds(page)).toEqual(failed);
  });

  test('the methods say how many results there are, by which program, and what to cite', async () => {
    const page = await opened(folder);
    const text = await page.locator('.methods').innerText();
    expect(text).toContain(`${items.length} items were run with hundredfold 0.0.0-bench`);
    expect(text).toContain(`${molecules.length} of 26 molecules`);
    expect(text).toContain('doi:10.1186/1756-0500-5-367');
  });

  test('conditions on columns are part of the search, and Next follows the order of the table', async () => {
    const page = await opened(folder, '#kind=molecule');
    await page.getByRole('searchbox').fill('mass>=100 project=kinases');
    await page.getByRole('button', { name: 'Mass (Da)', exact: true }).click();
    const isWanted = (cells: Cells): boolean =>
      massOf(cells) >= 100 && cells['project'] === 'kinases';
    const heavy = molecules.filter((cells) =>
      isWanted({ ...items.find(({ id }) => id === cells['id']), ...cells }),
    );
    // The sort is stable.
    const expected = idsOf(heavy.sort((a, b) => massOf(a) - massOf(b)));
    expect(expected.length).toBeGreaterThan(1);
    await expect.poll(() => shownIds(page)).toEqual(expected);
    await page.locator('.cards tbody a').first().click();
    for (const id of expected) {
      await expect.poll(() => page.locator('h1').innerText()).toBe(id);
      if (id !== expected.at(-1)) await page.getByRole('link', { name: 'Next' }).click();
    }
    await page.getByRole('link', { name: 'All items' }).click();
    await expect.poll(() => shownIds(page)).toEqual(expected);
    await page.getByRole('searchbox').fill('nothing>here');
    await page.getByText('No items match').waitFor();
  });

  test('by keyboard alone: search, open an item, read a residue, and back', async () => {
    const page = await opened(folder);
    const what = "document.activeElement?.closest('a, button, input, select, h1')?.outerHTML ?? ''";
    const focused = () => page.evaluate<string>(what);
    const tabTo = async (expected: RegExp): Promise<void> => {
      for (let times = 0; times < 120; times += 1) {
        await page.keyboard.press('Tab');
        if (expected.test(await focused())) return;
      }
      throw new Error(`the keyboard does not reach ${String(expected)}`);
    };
    const isDone = ({ kind, state }: Cells) => kind === 'sequence' && state === 'succeeded';
    const { id = '' } = items.find(isDone) ?? {};
    await tabTo(/type="search"/);
    await page.keyboard.type(id);
    await expect.poll(() => shownIds(page)).toContain(id);
    await tabTo(new RegExp(`>${id}</a>`));
    await page.keyboard.press('Enter');
    await expect.poll(focused).toContain(`>${id}</h1>`);
    await tabTo(/type="range"/);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.readout output strong').innerText()).toMatch(/^2 /);
    await page.goBack();
    await expect.poll(() => shownIds(page)).toContain(id);
  });
});

test('each molecule has its formula in the table, and similar ones are found', async () => {
  const page = await opened(folder, '#kind=molecule&state=succeeded');
  const thumbnail = page.locator('.cards .thumbnail').first();
  await thumbnail.scrollIntoViewIfNeeded();
  await thumbnail.locator('svg path').first().waitFor();
  expect(await page.locator('.cards .thumbnail').count()).toBe(molecules.length);
  await page.locator('.cards tbody a').nth(3).click();
  await page.getByRole('link', { name: 'Find similar' }).click();
  const cells = page.locator('.cards tbody td:nth-child(2)');
  await expect.poll(() => cells.first().innerText()).toBe('1.00');
  const similarities = (await cells.allInnerTexts()).map(Number).filter(Number.isFinite);
  expect(similarities.length).toBeGreaterThanOrEqual(molecules.length);
  expect(similarities).toEqual([...similarities].sort((a, b) => b - a));
});

test('a plot has a point for each item, which it names and opens', async () => {
  const page = await opened(
    folder,
    '#kind=molecule&view=plot&x=mass&y=dipole&colour=own%3Aproject',
  );
  const points = page.locator('.panel [data-mark=dot]').first().locator('circle');
  await points.first().waitFor();
  await expectAccessible(page);
  expect(await points.count()).toBe(molecules.length);
  await points.first().hover();
  const tip = page.locator('.panel [aria-label=tip]');
  await expect.poll(() => tip.textContent()).toMatch(/molecule-\d+.*Mass \(Da\)/s);
  await points.first().click();
  await expect.poll(() => page.locator('h1').innerText()).toMatch(/^molecule-/);
});

test('the table shows only the selected items', async () => {
  const page = await opened(folder, '#kind=molecule');
  const button = page.getByRole('button', { name: 'Only selected' });
  expect(await button.isDisabled()).toBe(true);
  const ids = await shownIds(page);
  for (const place of [4, 1]) await page.locator('.cards tbody input').nth(place).check();
  await button.click();
  await expect.poll(() => shownIds(page)).toEqual([ids[1], ids[4]]);
  expect(page.url()).toContain(`only=${ids[4] ?? ''}+${ids[1] ?? ''}`);
  await button.click();
  await expect.poll(() => shownIds(page)).toEqual(ids);
});

test('rows are saved as CSV', async () => {
  const page = await opened(folder, '#kind=molecule&state=succeeded');
  await page.locator('summary', { hasText: 'More' }).click();
  const [download] = await Promise.all<[Promise<Download>, Promise<void>]>([
    page.waitForEvent('download', { timeout: 120_000 }),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  const all: Cells[] = parse(await readFile(await download.path()), { columns: true });
  expect(idsOf(all)).toEqual(idsOf(molecules));
  expect(all.map(({ mass }) => Number(mass))).toEqual(molecules.map(massOf));
});
