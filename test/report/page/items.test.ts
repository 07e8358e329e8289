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
  await page.getByText('Table of atoms').click();
  expect(await page.locator('table tbody tr th').count()).toBeGreaterThan(5);
  const charges = await page.locator('.fold table td.number').allTextContents();
  const sum = charges.reduce((total, text) => total + Number(text.replace('−', '-')), 0);
  expect(Math.abs(sum - Math.round(sum))).toBeLessThan(0.01);
  await page.locator('.fold table tbody tr').nth(2).hover();
  const third = await page.locator('.fold table tbody th').nth(2).innerText();
  expect(await page.locator('.bars-of-atoms .pointed .name').first().innerHTML()).toBe(third);
  expect(await page.locator('.atom').innerText()).toContain(`${third}: `);
  await page.locator('.controls select').first().selectOption('charge');
  expect(await page.locator('.key .ramp').count()).toBe(1);
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
  // A selected range, with the cursor in it.
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Move right' }).click();
  expect(await page.locator('.axis .seen').count()).toBe(1);
  await page.getByRole('slider').fill('0');
  expect(await page.getByRole('button', { name: 'Move left' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Full length' }).click();
  expect(await page.locator('.axis .seen').count()).toBe(0);
  await page.locator('[data-track=backbone]').hover();
  expect(await page.locator('.tip').innerText()).toMatch(/^\d+ \w{3}: \d\.\d{3} \w+/);
  await expectAccessibleOnPhone(page);
});

test('an alignment: bands, rows, and a row compared with the median', async () => {
  const page = await opened(folder, `#item=${(await firstOf('alignment')).id}`);
  await page.locator('[data-track=backbone] svg').waitFor();
  const lines = () => page.locator('[data-track=backbone] [data-mark=line] path').count();
  expect(await page.locator('[data-track=backbone] [data-mark=area] path').count()).toBe(2);
  const before = await lines();
  await page.getByLabel('Compare a row with the median').selectOption({ index: 1 });
  await expect.poll(lines).toBeGreaterThan(before);
  expect(await page.locator('.rows .name').count()).toBeGreaterThan(1);
  await expectAccessibleOnPhone(page);
});

test('shifts: a profile with gaps, which are counted', async () => {
  const { id, rows } = await firstOf('shifts');
  const page = await opened(folder, `#item=${id}`);
  await page.locator('[data-track=shiftCrypt] svg').waitFor();
  const missing = rows.filter((row) => Number(row['shiftCrypt']) === -10).length;
  const said = await page.locator('.protein').innerText();
  expect(said).toContain(missing === 0 ? 'Every residue has a value' : `${missing} have none`);
  expect(await page.locator('[data-mark=rect] rect').count()).toBe(missing);
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
