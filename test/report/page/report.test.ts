/** The report in a real browser, opened from disk as by a user: overview, table, plots and comparison. */
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

  test('search finds the rows that contain every word, sorting orders numbers by value', async () => {
    const page = await opened(folder);
    await page.getByRole('searchbox').fill('SUCCEEDED molecule');
    const wanted = items.filter(({ kind, state }) => kind === 'molecule' && state === 'succeeded');
    await expect.poll(() => shownIds(page)).toEqual(idsOf(wanted));
    const took = ({ submitted_at: from = '', finished_at: to = '' }: Cells) =>
      Date.parse(to) - Date.parse(from);
    await page.getByRole('button', { name: 'Done in' }).click();
    await page.getByRole('button', { name: 'Done in' }).click();
    const longest = idsOf([...wanted].sort((a, b) => took(b) - took(a)));
    await expect.poll(() => shownIds(page)).toEqual(longest);
    // The address contains it.
    await page.reload();
    await expect.poll(() => shownIds(page)).toEqual(longest);
  });

  test('goes through the pages, and back from an item to the previous position', async () => {
    const page = await opened(folder);
    await page.getByRole('button', { name: 'Next' }).click();
    const second = idsOf(items.slice(50, 100));
    await expect.poll(() => shownIds(page)).toEqual(second);
    await page.locator('.cards tbody a').first().click();
    await expect.poll(() => page.locator('h1').innerText()).toBe(second[0]);
    await page.goBack();
    await expect.poll(() => shownIds(page)).toEqual(second);
  });

  test('is filtered by a range and ordered by a measure, and Next follows this order', async () => {
    const page = await opened(folder, '#kind=molecule');
    await page.getByText('Filter by value').click();
    await page.locator('.bounds select').selectOption('mass');
    await page.getByLabel('Mass (Da) from').fill('100');
    await page.getByLabel('Mass (Da) from').blur();
    await page.getByRole('button', { name: 'Mass (Da)', exact: true }).click();
    // The sort is stable.
    const heavy = molecules.filter((cells) => massOf(cells) >= 100);
    const wanted = idsOf(heavy.sort((a, b) => massOf(a) - massOf(b)));
    expect(wanted.length).toBeGreaterThan(3);
    await expect.poll(() => shownIds(page)).toEqual(wanted);
    await page.locator('.cards tbody a').first().click();
    for (const id of wanted.slice(0, 3)) {
      await expect.poll(() => page.locator('h1').innerText()).toBe(id);
      await page.getByRole('link', { name: 'Next' }).click();
    }
    await page.getByRole('link', { name: 'All items' }).click();
    await expect.poll(() => shownIds(page)).toEqual(wanted);
  });

  test('has the selected columns, and offers those of the kind that is shown', async () => {
    const page = await opened(folder, '#kind=molecule');
    await page.locator('summary', { hasText: 'Columns' }).click();
    const groups = await page.locator('.groups legend').allInnerTexts();
    expect(groups).toEqual(['Item', 'molecules', 'your columns', 'job']);
    await page.getByRole('checkbox', { name: 'Charge (e)' }).check();
    await page.getByRole('checkbox', { name: 'Atoms', exact: true }).uncheck();
    const heads = await page.locator('.cards th').allInnerTexts();
    expect([heads.includes('Charge (e)'), heads.includes('Atoms')]).toEqual([true, false]);
    await page.reload();
    await expect.poll(() => page.locator('.cards th').allInnerTexts()).toEqual(heads);
  });

  test('by keyboard alone: search, open an item, read a residue, and back', async () => {
    const page = await opened(folder);
    const what = "document.activeElement?.closest('a, button, input, select, h1')?.outerHTML ?? ''";
    const focused = () => page.evaluate<string>(what);
    const tabTo = async (wanted: RegExp): Promise<void> => {
      for (let times = 0; times < 80; times += 1) {
        await page.keyboard.press('Tab');
        if (wanted.test(await focused())) return;
      }
      throw new Error(`the keyboard does not reach ${String(wanted)}`);
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

test('a plot selects brushed items in the table, and highlights items that are selected there', async () => {
  const hash = '#kind=molecule&view=plot&x=mass&y=dipole&colour=own%3Aproject&size=atoms';
  const page = await opened(folder, hash);
  const plot = page.locator('.brushed svg');
  await plot.waitFor();
  const dots = page.locator('.brushed [data-mark=dot]');
  expect(await dots.first().locator('circle').count()).toBe(molecules.length);
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (box === null) throw new Error('no plot');
  await page.mouse.move(box.x + 57, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height - 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => page.locator('.cards tr.selected').count()).toBe(molecules.length);
  await page.getByRole('button', { name: 'Clear selection' }).first().click();
  await page.locator('.cards tbody input').first().check();
  await expect.poll(() => dots.last().locator('circle').count()).toBe(1);
  await expectAccessible(page);
});

async function textOf(page: Page, act: Promise<void>): Promise<string> {
  const [download] = await Promise.all<[Promise<Download>, Promise<void>]>([
    page.waitForEvent('download', { timeout: 120_000 }),
    act,
  ]);
  return readFile(await download.path(), 'utf8');
}

test.each([
  ['', 'Items by state', '<rect'],
  ['', 'Mass (Da) of molecules', '<path'],
  ['#item=molecule-00000', 'Structural formula', '<path'],
])('the picture of %s %s is saved', async (hash, name, part) => {
  const page = await opened(folder, hash);
  const button = page.getByRole('button', { name: `${name}: save as SVG` }).first();
  // By the keyboard: the buttons show when the mouse is above the picture, and a bar that stays may be above them.
  const svg = await textOf(page, button.press('Enter', { timeout: 120_000 }));
  expect(svg.startsWith('<svg '), name).toBe(true);
  expect(svg, name).toContain(part);
  expect(svg.includes('var(--'), name).toBe(false);
  if (name !== 'Items by state') return;
  for (const [state, { length }] of Map.groupBy(items, (item) => item['state'] ?? '')) {
    expect(svg).toContain(`>${length} ${state}</text>`);
  }
});

test('structures are drawn, and ordered by similarity to one of them', async () => {
  const page = await opened(folder, '#view=structures&state=succeeded');
  const structures = page.locator('.structures li');
  await structures.locator('svg path').first().waitFor();
  expect(await structures.count()).toBe(Math.min(24, molecules.length));
  await structures.nth(3).getByRole('button').click();
  await expect.poll(() => structures.first().innerText()).toContain('similarity 1.00');
  const said = await structures.allInnerTexts();
  const similarities = said.map((text) => Number(/similarity (\S+)/.exec(text)?.[1]));
  expect(similarities).toEqual([...similarities].sort((a, b) => b - a));
});

test('selected items are compared', async () => {
  const page = await opened(folder, '#q=succeeded');
  expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
  const boxes = page.locator('.cards tbody input');
  for (const place of [0, 1, 2, 3, 4, 5]) await boxes.nth(place).check();
  const ids = (await shownIds(page)).slice(0, 6);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.track svg').first().waitFor();
  expect(await page.locator('.compare thead a').allTextContents()).toEqual(ids);
  expect(await page.locator('.structures li').count()).toBeGreaterThan(0);
  const lines = page.locator('[data-track=backbone] [data-mark=line]');
  expect(await lines.count()).toBeGreaterThan(1);
  await expectAccessible(page);
  await (
    await opened(folder, '#compare=molecule-00000%20nobody')
  )
    .getByText('a comparison needs two')
    .waitFor();
});

test('rows are copied as CSV, as a manifest and as paths', async () => {
  const page = await opened(folder, '#kind=molecule&state=succeeded');
  const downloaded = (name: string) =>
    textOf(page, page.getByRole('button', { name, exact: true }).click());
  const all: Cells[] = parse(await downloaded('CSV'), { columns: true });
  expect(idsOf(all)).toEqual(idsOf(molecules));
  expect(all.map(({ mass }) => Number(mass))).toEqual(molecules.map(massOf));
  await page.locator('.cards tbody input').nth(1).check();
  const [only, ...others]: Cells[] = parse(await downloaded('Manifest'), { columns: true });
  expect(others).toEqual([]);
  expect(only).toMatchObject({ id: molecules[1]?.['id'], kind: 'molecule' });
  expect(only?.['smiles'] ?? only?.['file']).not.toBe('');
  expect(await downloaded('Paths')).toBe(`molecules/${molecules[1]?.['id'] ?? ''}\n`);
});
