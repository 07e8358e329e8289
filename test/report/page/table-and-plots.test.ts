/** The report's table, plots, structures and comparison in a real browser. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { launchBrowser } from '../../browser.ts';
import { accessProblems, opened } from './opened.ts';

type Cells = Readonly<Record<string, string>>;

let browser: Browser;
let folder: string;
let molecules: readonly Cells[];
let items: readonly Cells[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hundredfold-table-'));
  const { store, end } = await writeFinishedTree(folder, 20);
  await publishCampaign(store, end);
  molecules = parse(await readFile(join(folder, 'tables', 'molecules.csv')), { columns: true });
  items = parse(await readFile(join(folder, 'items.csv')), { columns: true });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

async function shownIds(page: Page): Promise<readonly string[]> {
  return page.locator('.cards tbody td:first-child a').allTextContents();
}

const massOf = (cells: Cells): number => Number(Number(cells['molecular_mass']).toFixed(2));
const idsOf = (rows: readonly Cells[]): string[] => rows.map(({ id = '' }) => id);

const firstOf = (kind: string): string =>
  items.find((item) => item['kind'] === kind && item['state'] === 'succeeded')?.['id'] ?? '';

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8');
}

async function downloaded(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return textOf(download);
}

describe('the table', () => {
  test('is filtered by a range and ordered by a measure, and Next follows this order', async () => {
    const { page, errors } = await opened(browser, folder, '#kind=molecule');
    await page.getByText('Filter by value').click();
    await page.locator('.bounds select').selectOption('mass');
    await page.getByLabel('Mass (Da) from').fill('100');
    await page.getByLabel('Mass (Da) from').blur();
    await page.getByRole('button', { name: 'Mass (Da)', exact: true }).click();
    const wanted = molecules
      .map((cells, place) => ({ cells, place }))
      .filter(({ cells }) => massOf(cells) >= 100)
      .sort((a, b) => massOf(a.cells) - massOf(b.cells) || a.place - b.place)
      .map(({ cells }) => cells['id'] ?? '');
    expect(wanted.length).toBeGreaterThan(3);
    await expect.poll(() => shownIds(page)).toEqual(wanted);
    await page.locator('.cards tbody a').first().click();
    for (const id of wanted.slice(0, 3)) {
      await expect.poll(() => page.locator('h1').innerText()).toBe(id);
      await page.getByRole('link', { name: 'Next' }).click();
    }
    await page.getByRole('link', { name: 'All items' }).click();
    await expect.poll(() => shownIds(page)).toEqual(wanted);
    expect(errors).toEqual([]);
  });

  test('shows the selected columns, with the header in view', async () => {
    const { page, errors } = await opened(browser, folder, '#kind=molecule');
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Charge (e)' }).check();
    await page.getByRole('checkbox', { name: 'Atoms', exact: true }).uncheck();
    const heads = await page.locator('.cards th').allInnerTexts();
    expect(heads).toContain('Charge (e)');
    expect(heads).not.toContain('Atoms');
    await page.reload();
    await expect.poll(() => page.locator('.cards th').allInnerTexts()).toEqual(heads);
    const places = await page.evaluate<number[]>(`(() => {
      const sheet = document.querySelector('.sheet');
      sheet.scrollTop = 300;
      return [sheet, sheet.querySelector('th')].map((one) => Math.round(one.getBoundingClientRect().top));
    })()`);
    expect((places[1] ?? 0) - (places[0] ?? 0)).toBeLessThanOrEqual(1);
    expect(errors).toEqual([]);
  });
});

describe('a plot', () => {
  test('selects brushed items in the table, and highlights items that are selected there', async () => {
    const hash = '#kind=molecule&view=plot&x=mass&y=dipole&colour=own%3Aproject&size=atoms';
    const { page, errors, requests } = await opened(browser, folder, hash);
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
    expect(await accessProblems(page)).toEqual([]);
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });
});

/** Its button is visible under the pointer. */
async function savedPicture(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name: `${name}: save as SVG` }).first();
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: 120_000 }),
    // By the keyboard: the buttons show when the mouse is above the picture, and a bar that stays may be above them.
    button.press('Enter', { timeout: 120_000 }),
  ]);
  return readFile(await download.path(), 'utf8');
}

test('pictures of the overview and formulas are saved', async () => {
  for (const [hash, name, holds] of [
    ['', 'Items by state', '<rect'],
    ['', 'Mass (Da) of molecules', '<path'],
    [`#item=${firstOf('molecule')}`, 'Structural formula', '<path'],
  ] as const) {
    const { page, errors } = await opened(browser, folder, hash);
    const svg = await savedPicture(page, name);
    expect(svg.startsWith('<svg '), name).toBe(true);
    expect(svg, name).toContain(holds);
    expect(svg.includes('var(--'), name).toBe(false);
    expect(errors).toEqual([]);
  }
});

test('the bar of states shows every state with its number, also on a phone and in the saved file', async () => {
  const states = Map.groupBy(items, ({ state = '' }) => state);
  expect(states.size).toBeGreaterThan(1);
  const phone = { viewport: { width: 390, height: 844 } };
  for (const options of [{}, phone]) {
    const { page, errors } = await opened(browser, folder, '', options);
    const svg = await savedPicture(page, 'Items by state');
    for (const [state, { length }] of states) expect(svg).toContain(`>${length} ${state}</text>`);
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.bar rect')].map((bar) => Number(bar.getAttribute('width')))`,
    );
    expect(widths.length).toBe(states.size);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(3);
    // Nothing is cut off at the right.
    const beyond = await page.evaluate<number>(`(() => {
      const rightOf = (one) => one.getBoundingClientRect().right;
      const parts = [...document.querySelectorAll('.bar rect, .bar text')];
      return Math.max(...parts.map(rightOf)) - rightOf(document.querySelector('.bar'));
    })()`);
    expect(beyond).toBeLessThanOrEqual(0.5);
    expect(errors).toEqual([]);
  }
});

interface SequenceResult {
  readonly proteins: Readonly<Record<string, { readonly viterbi: readonly string[] }>>;
}

/** The first two sequences in which PSPer found states, and the state of each residue. */
async function withStates(): Promise<readonly { id: string; states: readonly string[] }[]> {
  const found: { id: string; states: readonly string[] }[] = [];
  for (const { id = '', kind, state } of items) {
    if (kind !== 'sequence' || state !== 'succeeded') continue;
    const text = await readFile(join(folder, 'sequences', id, 'result.json'), 'utf8');
    const [protein] = Object.values((JSON.parse(text) as SequenceResult).proteins);
    const states = (protein?.viterbi ?? []).map((one) => one.trim());
    if (new Set(states.filter(Boolean)).size > 1) found.push({ id, states });
  }
  return found.slice(0, 2);
}

/** `PLD 1–80`: where each state begins and ends, computed from the residues. */
function stretches(states: readonly string[]): readonly string[] {
  const firsts = states.flatMap((state, place) =>
    state !== '' && state !== states[place - 1] ? [place] : [],
  );
  return firsts.map((first) => {
    const after = states.findIndex((state, place) => place > first && state !== states[first]);
    return `${states[first] ?? ''}, ${first + 1}–${after === -1 ? states.length : after}`;
  });
}

test('the states of PSPer are saved as bars with their legend, in the same colours for every protein', async () => {
  const sequences = await withStates();
  expect(sequences.length).toBe(2);
  const colours = new Map<string, string>();
  for (const { id, states } of sequences) {
    const { page, errors } = await opened(browser, folder, `#item=${id}`);
    await page.locator('[data-track=viterbi] svg').waitFor();
    const svg = await savedPicture(page, 'State along the chain');
    expect(Array.from(svg.matchAll(/<title[^>]*>([^<]*)<\/title>/g), ([, words]) => words)).toEqual(
      stretches(states),
    );
    for (const state of new Set(states.filter(Boolean))) {
      expect(svg).toMatch(new RegExp(`<text[^>]*>${state}</text>`));
      const fill = fillBefore(svg, `>${state}, `);
      expect(fill).toMatch(/^rgb/);
      expect(colours.get(state) ?? fill, state).toBe(fill);
      colours.set(state, fill);
    }
    expect(errors).toEqual([]);
  }
  expect(new Set(colours.values()).size).toBe(colours.size);
});

/** The fill of the last element before these letters. */
function fillBefore(svg: string, letters: string): string {
  const before = svg.slice(0, svg.indexOf(letters));
  return [...before.matchAll(/fill: (rgb\([^)]*\))/g)].at(-1)?.[1] ?? '';
}

test('structures are drawn, and ordered by similarity to one of them', async () => {
  const { page, errors } = await opened(browser, folder, '#view=structures&state=succeeded');
  await page.locator('.structures svg path').first().waitFor();
  expect(await page.locator('.structures li').count()).toBe(Math.min(24, molecules.length));
  await page.locator('.structures li').nth(3).getByRole('button').click();
  await expect
    .poll(() => page.locator('.structures li').first().innerText())
    .toContain('similarity 1.00');
  const said = await page.locator('.structures li').allInnerTexts();
  const similarities = said.map((text) => Number(/similarity (\S+)/.exec(text)?.[1]));
  expect(similarities).toEqual([...similarities].sort((a, b) => b - a));
  expect(await accessProblems(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('selected items are compared', async () => {
  const { page, errors } = await opened(browser, folder, '#q=succeeded');
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
  expect(await accessProblems(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('rows are copied as CSV, as a manifest and as paths', async () => {
  const { page, errors } = await opened(browser, folder, '#kind=molecule&state=succeeded');
  const all: Cells[] = parse(await downloaded(page, 'CSV'), { columns: true });
  expect(idsOf(all)).toEqual(idsOf(molecules));
  expect(all.map(({ mass }) => Number(mass))).toEqual(molecules.map(massOf));
  await page.locator('.cards tbody input').nth(1).check();
  const [only, ...others]: Cells[] = parse(await downloaded(page, 'Manifest'), { columns: true });
  expect(others).toEqual([]);
  expect(only).toMatchObject({ id: molecules[1]?.['id'], kind: 'molecule' });
  expect(only?.['smiles'] ?? only?.['file']).not.toBe('');
  expect(await downloaded(page, 'Paths')).toBe(`molecules/${molecules[1]?.['id'] ?? ''}\n`);
  expect(errors).toEqual([]);
});
