/** The report in a real browser, opened from disk as by a user. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { launchBrowser } from '../../browser.ts';
import { accessProblems, opened } from './opened.ts';

let browser: Browser;
let folder: string;
let items: Readonly<Record<string, string>>[];

/** Run in the browser. */
const GROUND = 'getComputedStyle(document.body).backgroundColor';
const FOCUSED = "document.activeElement?.closest('a, button, input, select, h1')?.outerHTML ?? ''";

/** The first success of each kind. */
function firstOf(kind: string): string {
  const found = items.find((item) => item['kind'] === kind && item['state'] === 'succeeded');
  if (found?.['id'] === undefined) throw new Error(`no ${kind} succeeded`);
  return found['id'];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hundredfold-report-'));
  const { store, end } = await writeFinishedTree(folder, 26);
  await publishCampaign(store, end);
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

describe('overview and table', () => {
  test('count what items.csv lists, by kind and state', async () => {
    const { page, errors, requests } = await opened(browser, folder);
    const succeeded = items.filter(({ state }) => state === 'succeeded').length;
    expect(await page.locator('.headline').innerText()).toBe(
      `${succeeded} of ${items.length} items succeeded`,
    );
    const molecules = items.filter(({ kind, state }) => kind === 'molecule' && state === 'failed');
    expect(await page.getByLabel(/ molecule, failed: show them/).innerText()).toBe(
      String(molecules.length),
    );
    expect(await page.locator('.failure').count()).toBe(
      new Set(items.map((item) => item['error_code']).filter(Boolean)).size,
    );
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('a number of the overview links to its rows', async () => {
    const { page, errors } = await opened(browser, folder);
    await page.getByLabel(/ molecule, failed: show them/).click();
    const failed = items.filter(({ kind, state }) => kind === 'molecule' && state === 'failed');
    await expect.poll(() => shownIds(page)).toEqual(failed.map(({ id }) => id));
    expect(errors).toEqual([]);
  });

  test('search finds the rows that contain every word, sorting orders numbers by value', async () => {
    const { page, errors } = await opened(browser, folder);
    await page.getByRole('searchbox').fill('SUCCEEDED molecule');
    const wanted = items.filter(({ kind, state }) => kind === 'molecule' && state === 'succeeded');
    await expect.poll(() => shownIds(page)).toEqual(wanted.map(({ id }) => id));
    const took = ({ submitted_at: from = '', finished_at: to = '' }: Record<string, string>) =>
      Date.parse(to) - Date.parse(from);
    await page.getByRole('button', { name: 'Done in' }).click();
    await page.getByRole('button', { name: 'Done in' }).click();
    const longest = [...wanted].sort((a, b) => took(b) - took(a));
    await expect.poll(() => shownIds(page)).toEqual(longest.map(({ id }) => id));
    expect(await page.locator('th[aria-sort=descending]').innerText()).toContain('Done in');
    // The address contains it.
    await page.reload();
    await expect.poll(() => shownIds(page)).toEqual(longest.map(({ id }) => id));
    expect(errors).toEqual([]);
  });

  test('goes through the pages, and back from an item to the previous position', async () => {
    const { page, errors } = await opened(browser, folder);
    await page.getByRole('button', { name: 'Next' }).click();
    const second = items.slice(50, 100).map(({ id }) => id);
    await expect.poll(() => shownIds(page)).toEqual(second);
    await page.locator('.cards tbody a').first().click();
    await expect.poll(() => page.locator('h1').innerText()).toBe(second[0]);
    await page.goBack();
    await expect.poll(() => shownIds(page)).toEqual(second);
    expect(errors).toEqual([]);
  });
});

describe('one item', () => {
  test('a molecule: formula, structure, charges, files', async () => {
    const { page, errors, requests } = await opened(
      browser,
      folder,
      `#item=${firstOf('molecule')}`,
    );
    await page.locator('.viewer canvas').waitFor();
    expect(await page.locator('svg.drawing path').count()).toBeGreaterThan(0);
    await page.getByText('Table of atoms').click();
    const atoms = await page.locator('table tbody tr th').count();
    expect(atoms).toBeGreaterThan(5);
    const charges = await page.locator('.fold table td.number').allTextContents();
    const sum = charges.reduce((total, text) => total + Number(text.replace('−', '-')), 0);
    expect(Math.abs(sum - Math.round(sum))).toBeLessThan(0.01);
    await page.locator('.fold table tbody tr').nth(2).hover();
    const third = await page.locator('.fold table tbody th').nth(2).innerText();
    expect(await page.locator('.bars-of-atoms .pointed .name').first().innerHTML()).toBe(third);
    expect(await page.locator('.atom').innerText()).toContain(`${third}: `);
    await page.locator('.controls select').first().selectOption('charge');
    expect(await page.locator('.key .ramp').count()).toBe(1);
    await page.locator('.controls select').last().selectOption('name');
    const href = await page.getByRole('link', { name: /_GMX\.gro$/ }).getAttribute('href');
    await expect(readFile(join(folder, href ?? ''), 'utf8')).resolves.toContain('\n');
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('a sequence: a plot for every predictor, with values by residue', async () => {
    const id = firstOf('sequence');
    const { page, errors, requests } = await opened(browser, folder, `#item=${id}`);
    await page.locator('.track svg').first().waitFor();
    const result = await readFile(join(folder, 'sequences', id, 'result.csv'), 'utf8');
    const rows: Record<string, string>[] = parse(result, { columns: true });
    const keys = Object.keys(rows[0] ?? {}).filter(
      (key) =>
        !['sequence_id', 'residue', 'residue_index'].includes(key) &&
        rows.some((row) => row[key] !== ''),
    );
    // Helix, sheet and coil share one plot.
    const secondary = keys.filter((key) => ['helix', 'sheet', 'coil'].includes(key));
    expect(secondary.length).toBe(3);
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
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('an alignment: bands, rows, and a row compared with the median', async () => {
    const { page, errors, requests } = await opened(
      browser,
      folder,
      `#item=${firstOf('alignment')}`,
    );
    await page.locator('[data-track=backbone] svg').waitFor();
    const lines = () => page.locator('[data-track=backbone] [data-mark=line] path').count();
    expect(await page.locator('[data-track=backbone] [data-mark=area] path').count()).toBe(2);
    const before = await lines();
    await page.getByLabel('Compare a row with the median').selectOption({ index: 1 });
    await expect.poll(lines).toBeGreaterThan(before);
    expect(await page.locator('.rows .name').count()).toBeGreaterThan(1);
    expect(await page.locator('.rows path').count()).toBe(1);
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('shifts: a profile with gaps, which are counted', async () => {
    const id = firstOf('shifts');
    const { page, errors, requests } = await opened(browser, folder, `#item=${id}`);
    await page.locator('[data-track=shiftCrypt] svg').waitFor();
    const result = await readFile(join(folder, 'shifts', id, 'result.csv'), 'utf8');
    const rows: Record<string, string>[] = parse(result, { columns: true });
    const missing = rows.filter((row) => Number(row['shiftCrypt']) === -10).length;
    const said = await page.locator('.protein').innerText();
    expect(said).toContain(missing === 0 ? 'Every residue has a value' : `${missing} have none`);
    expect(await page.locator('[data-mark=rect] rect').count()).toBe(missing);
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('that failed shows why and what to do', async () => {
    const failed = items.find((item) => item['error_code'] === 'JOB_FAILED');
    const { page } = await opened(browser, folder, `#item=${failed?.['id'] ?? ''}`);
    const said = await page.getByRole('region', { name: 'Why it did not succeed' }).innerText();
    expect(said).toContain('JOB_FAILED');
    expect(said).toContain(failed?.['error']);
    expect(said).toContain('What to do:');
  });

  test('that does not exist is reported as missing', async () => {
    const { page, errors } = await opened(browser, folder, '#item=nobody');
    expect(await page.locator('main').innerText()).toContain('no item with this id');
    expect(errors).toEqual([]);
  });
});

describe('accessibility', () => {
  const views: readonly (readonly [string, () => string])[] = [
    ['the overview', () => ''],
    ...['molecule', 'sequence', 'alignment', 'shifts'].map(
      (kind) => [`an item of ${kind}`, () => `#item=${firstOf(kind)}`] as const,
    ),
  ];
  test.each(views)(
    '%s: axe-core finds nothing serious, light, and dark on a phone',
    async (_, hash) => {
      for (const options of [
        { colorScheme: 'light' },
        { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
      ] as const) {
        const { page } = await opened(browser, folder, hash(), options);
        await page.locator('svg').first().waitFor();
        expect(await accessProblems(page)).toEqual([]);
        const beyond = 'document.documentElement.scrollWidth - innerWidth';
        expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0);
      }
    },
  );

  test('by keyboard alone: search, open an item, read a residue, and back', async () => {
    const { page, errors } = await opened(browser, folder);
    const focused = () => page.evaluate<string>(FOCUSED);
    const tabTo = async (what: RegExp): Promise<void> => {
      for (let times = 0; times < 80; times += 1) {
        await page.keyboard.press('Tab');
        if (what.test(await focused())) return;
      }
      throw new Error(`the keyboard does not reach ${String(what)}`);
    };
    const id = firstOf('sequence');
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
    expect(errors).toEqual([]);
  });

  test('printed: white, without what can only be clicked', async () => {
    const { page } = await opened(browser, folder, '', { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(GROUND)).toBe('rgb(255, 255, 255)');
    expect(await page.locator('.filters').isVisible()).toBe(false);
    expect(await page.locator('.cards').isVisible()).toBe(true);
  });
});
