/** The pages of single items in a real browser: what they draw is what the files of the item say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectAccessibleOnPhone, opened, writeReport } from './opened.ts';

type Cells = Readonly<Record<string, string>>;

let folder: string;
let items: readonly Cells[];

beforeAll(async () => {
  folder = await writeReport(8);
  items = parse(await readFile(join(folder, 'items.csv')), { columns: true });
});

/** The first success of a kind, and its table. */
async function firstOf(kind: string): Promise<{ id: string; rows: readonly Cells[] }> {
  const found = items.find((item) => item['kind'] === kind && item['state'] === 'succeeded');
  const { id = '', path = '' } = found ?? {};
  const result = await readFile(join(folder, path, 'result.csv'), 'utf8').catch(() => '');
  return { id, rows: parse(result, { columns: true }) };
}

test('the overview can be read by everybody, also dark and on a phone', async () => {
  const page = await opened(folder);
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
});

test('a molecule: formula, structure, charges, files', async () => {
  const page = await opened(folder, `#item=${(await firstOf('molecule')).id}`);
  await page.locator('.viewer canvas').waitFor();
  expect(await page.locator('svg.drawing path').count()).toBeGreaterThan(0);
  const rows = page.locator('.charges tbody tr');
  expect(await rows.count()).toBeGreaterThan(5);
  const charges = await rows.locator('td.number').allTextContents();
  const sum = charges.reduce((total, text) => total + Number(text.replace('−', '-')), 0);
  expect(Math.abs(sum - Math.round(sum))).toBeLessThan(0.01);
  await rows.nth(2).hover();
  const third = await rows.nth(2).locator('th').innerText();
  await page.getByText(`${third}: `).waitFor();
  expect(await page.locator('.pointed th').innerText()).toBe(third);
  await page.getByRole('button', { name: 'Colour by charge' }).click();
  expect(await page.locator('.ramp').count()).toBe(1);
  const href = await page.getByRole('link', { name: /_GMX\.gro$/ }).getAttribute('href');
  await expect(readFile(join(folder, href ?? ''), 'utf8')).resolves.toContain('\n');
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
});

test('a sequence: a plot for every predictor, with values by residue', async () => {
  const { id, rows } = await firstOf('sequence');
  const page = await opened(folder, `#item=${id}`);
  await page.locator('.track svg').first().waitFor();
  const keys = Object.keys(rows[0] ?? {}).filter(
    (key) =>
      !['sequence_id', 'residue', 'residue_index'].includes(key) &&
      rows.some((row) => row[key] !== ''),
  );
  // Helix, sheet and coil share one plot.
  expect(await page.locator('[data-track]').count()).toBe(keys.length - 2);
  expect(await page.locator('[data-track="helix sheet coil"] [data-mark=line]').count()).toBe(3);
  await page.getByRole('slider').fill('2');
  const said = await page.locator('.readout output').innerText();
  for (const value of keys.map((key) => Number(rows[2]?.[key] || NaN)).filter(Number.isFinite)) {
    // Counts are whole numbers.
    const written = Number.isInteger(value) ? String(value) : value.toFixed(3);
    expect(said).toContain(written.replace('-', ''));
  }
  await page.locator('[data-track=backbone] svg').hover();
  const tip = page.locator('[data-track=backbone] [aria-label=tip]');
  // `15 V`, and on the next line `1.038 membrane-spanning`.
  await expect.poll(() => tip.textContent()).toMatch(/\d+ [A-Z]\u200b?\d\.\d{3} \w+/);
  expect(await page.locator('.readout output strong').innerText()).not.toMatch(/^3 /);
  expect(await page.locator('.protein').nth(1).innerText()).toMatch(/^Regions: .* \d+–\d+/);
  // A part of the chain, with the letters of its residues.
  await page.getByLabel('First visible position').fill('5');
  await page.getByLabel('First visible position').blur();
  await page.getByLabel('Last visible position').fill('15');
  await page.getByLabel('Last visible position').blur();
  const letters = page.locator('[data-track=backbone] [data-mark=text] text');
  await expect.poll(() => letters.count()).toBe(11);
  await page.getByRole('button', { name: 'Full length' }).click();
  await expect.poll(() => letters.count()).not.toBe(11);
  await expectAccessibleOnPhone(page);
});

test('an alignment: rows, conservation, and bands that end at the farthest row', async () => {
  const page = await opened(folder, `#item=${(await firstOf('alignment')).id}`);
  await page.locator('[data-track=backbone] svg').waitFor();
  expect(await page.locator('[data-track=backbone] [data-mark=area] path').count()).toBe(2);
  expect(await page.locator('[data-track=conservation] [data-mark=line]').count()).toBe(1);
  expect(await page.locator('.chart [data-mark=bar] rect').count()).toBeGreaterThan(1);
  // No value of AgMata is below 0, although the quartiles minus 1.5 times their distance are.
  const ticks = page.locator('[data-track=agmata] [data-mark="y-axis tick label"] text');
  expect((await ticks.allTextContents()).filter((tick) => /^[−-]/.test(tick))).toEqual([]);
  await expectAccessibleOnPhone(page);
});

test('shifts: a profile with gaps, which are counted', async () => {
  const { id, rows } = await firstOf('shifts');
  const page = await opened(folder, `#item=${id}`);
  await page.locator('[data-track=shiftCrypt] svg').waitFor();
  const missing = rows.filter((row) => Number(row['shiftCrypt']) === -10).length;
  const said = await page.locator('.protein').innerText();
  expect(said).toContain(missing === 0 ? 'Every residue has a value' : `${missing} have none`);
  const gaps = page.locator('[data-mark=rect] rect');
  expect(await gaps.count()).toBe(missing);
  const ends = ['First', 'Last'].map((end) =>
    page.getByLabel(`${end} visible position`).inputValue(),
  );
  expect(await Promise.all(ends)).toEqual([rows[0], rows.at(-1)].map((row) => row?.['seqCode']));
  // A mark is on its residue: its middle is on a position of the line, which begins half a position after the axis.
  const places = `(() => {
    const svg = document.querySelector('[data-track=shiftCrypt] svg:last-of-type');
    const step = (svg.clientWidth - 56) / ${rows.length};
    return [...svg.querySelectorAll('[data-mark=rect] rect')].map((mark) =>
      (Number(mark.getAttribute('x')) + Number(mark.getAttribute('width')) / 2 - 46) / step - 0.5);
  })()`;
  const at = await page.evaluate<number[]>(places);
  const without = [...rows.keys()].filter((row) => Number(rows[row]?.['shiftCrypt']) === -10);
  expect(at.map((place) => Math.round(place * 10) / 10)).toEqual(without);
  await expectAccessibleOnPhone(page);
});

test('one that failed shows why and what to do, and one that does not exist is missing', async () => {
  const failed = items.find((item) => item['error_code'] === 'JOB_FAILED');
  const page = await opened(folder, `#item=${failed?.['id'] ?? ''}`);
  const said = await page.getByRole('region', { name: 'Why it did not succeed' }).innerText();
  for (const words of ['JOB_FAILED', failed?.['error'], 'What to do:']) {
    expect(said).toContain(words);
  }
  const none = await opened(folder, '#item=nobody');
  expect(await none.locator('main').innerText()).toContain('no item with this id');
});
