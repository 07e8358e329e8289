/**
 * The six promises of docs/promises.md, as assertions. `keepsPromises` calls them all: the rig does at the end of
 * every test, so that none can forget one. (The second, "close to the bound", is a figure: `npm run bench` measures it,
 * no test times it.)
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import type { Window } from '../src/budget/policy.ts';
import { FINAL_STATES } from '../src/domain/campaign.ts';
import type { JournalEntry } from '../packages/local-services/src/journal.ts';
import { verifyTree } from '../src/report/verify.ts';
import { openFileStore } from '../src/store/file-store.ts';

/** What a test has done, as the promises see it. */
export interface Evidence {
  /** Of the local services. */
  readonly journal: readonly JournalEntry[];
  /** Of the prediction service: all of them hold at once. */
  readonly windows: readonly Window[];
  /** The ids of all rows, of every campaign, once for each job that they may cost. */
  readonly rows: readonly string[];
  /** Of the campaigns that have ended. */
  readonly trees: readonly Tree[];
  readonly secrets: readonly string[];
  /** Where no secret may stand, with everything below. */
  readonly folders: readonly string[];
  /** The same, by name: histories, logs, arguments. */
  readonly texts: Readonly<Record<string, string>>;
}

export interface Tree {
  readonly folder: string;
  /** Of the rows of its campaign. */
  readonly ids: readonly string[];
}

const PROMISES = {
  neverOverBudget({ journal, windows }: Evidence): void {
    for (const window of windows) neverOverBudget(journal, window);
  },
  neverRefusedForRate({ journal }: Evidence): void {
    neverRefusedForRate(journal);
  },
  atMostOneJob({ journal, rows }: Evidence): void {
    atMostOneJob(journal, rows);
  },
  async noItemLost({ trees }: Evidence): Promise<void> {
    for (const { folder, ids } of trees) await noItemLost(folder, ids);
  },
  async treeIsWhole({ trees }: Evidence): Promise<void> {
    for (const { folder } of trees) await treeIsWhole(folder);
  },
  async noSecret({ secrets, folders, texts }: Evidence): Promise<void> {
    for (const secret of secrets) {
      for (const folder of folders) await noSecret(secret, folder, texts);
    }
  },
};

export type PromiseName = keyof typeof PROMISES;

/**
 * Asserts all promises.
 *
 * @param broken those that the test itself breaks, each with how: they must be broken, so that no excuse outlives its
 *   reason
 */
export async function keepsPromises(
  evidence: Evidence,
  broken: ReadonlyMap<PromiseName, string> = new Map(),
): Promise<void> {
  for (const [name, assert] of Object.entries(PROMISES)) {
    const how = broken.get(name as PromiseName);
    const asserted = (async () => assert(evidence))();
    if (how === undefined) await asserted;
    else await expect(asserted, `${name} is kept, although ${how}`).rejects.toThrow();
  }
}

/** 1. In no rolling window of this length has a credential more accepted jobs than its limit, by the service's own stamps. */
export function neverOverBudget(
  journal: readonly JournalEntry[],
  { limit, windowMs }: Window,
): void {
  const credentials = Map.groupBy(
    journal.filter(({ accepted, service }) => accepted && service === 'predictions'),
    ({ token }) => token,
  );
  for (const [token, jobs] of credentials) {
    const stamps = jobs.map(({ at }) => at).sort((a, b) => a - b);
    for (const [i, first] of stamps.entries()) {
      const beyond = stamps[i + limit];
      if (beyond === undefined) break;
      expect(
        beyond - first,
        `credential ${String(token)}: job ${i + limit} after job ${i}, in ms`,
      ).toBeGreaterThanOrEqual(windowMs);
    }
  }
}

/** … and the service never had to refuse for it. */
export function neverRefusedForRate(journal: readonly JournalEntry[]): void {
  expect(
    journal.filter(({ status }) => status === 429),
    'submissions answered with 429',
  ).toEqual([]);
}

/** 3. Every row ends in exactly one final state, with a coded reason, and is in items.csv. */
export async function noItemLost(folder: string, ids: readonly string[]): Promise<void> {
  const rows = await itemsTable(folder);
  expect(rows.map(({ id }) => id).sort(), 'rows of items.csv').toEqual([...ids].sort());
  for (const { id, state, error_code: code } of rows) {
    expect(FINAL_STATES, `state of ${id}`).toContain(state);
    if (state !== 'succeeded')
      expect(code, `reason why ${id} is ${state}`).toMatch(/^[A-Z][A-Z0-9_]+$/);
  }
}

/**
 * 4. At most one job per item: no name was accepted twice. Molecules are named like their row, which several campaigns may
 * have.
 *
 * @param rows the ids of all rows, or only their number if no two have the same
 */
export function atMostOneJob(
  journal: readonly JournalEntry[],
  rows: number | readonly string[],
): void {
  const accepted = journal.filter((entry) => entry.accepted);
  const named = Map.groupBy(accepted, ({ jobName }) => jobName);
  const often = Array.from(named).filter(([name, { length }]) => {
    const same = typeof rows === 'number' ? 1 : rows.filter((id) => id === name).length;
    return name !== null && length > Math.max(1, same);
  });
  expect(
    often.map(([name]) => name),
    'names accepted too often',
  ).toEqual([]);
  const most = typeof rows === 'number' ? rows : rows.length;
  expect(accepted.length, 'accepted jobs').toBeLessThanOrEqual(most);
}

/** 5. Files on disk are complete and right: files, digests, tables and checksums agree, nothing is half-written. */
export async function treeIsWhole(folder: string): Promise<void> {
  const { faults } = await verifyTree(await openFileStore(folder));
  expect(faults, 'faults of the output tree').toEqual([]);
}

/** The forms of a secret in a file: plain, escaped for JSON, URLs and HTML, and in the middle of a base64 text. */
function formsOf(secret: string): readonly string[] {
  const codes = Array.from(secret, (one) => one.charCodeAt(0).toString(16).padStart(2, '0'));
  const each = (before: string, behind = ''): string =>
    codes.map((code) => `${before}${code}${behind}`).join('');
  const inBase64 = ['', 'u', 'uv'].flatMap((before) =>
    // Without the characters that depend on their neighbours.
    (['base64', 'base64url'] as const).map((alphabet) =>
      Buffer.from(before + secret)
        .toString(alphabet)
        .slice(before.length === 0 ? 0 : before.length + 1)
        .replace(/.?=*$/, ''),
    ),
  );
  const escaped = [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  const codesOnly = [each('%'), each('%').toUpperCase(), each('\\u00'), each('&#x', ';')];
  return [...new Set([secret, ...escaped, ...codesOnly, ...inBase64])];
}

/** 6. No secret leaks: neither into the tree nor into any of the given texts (histories, logs, arguments). */
export async function noSecret(
  secret: string,
  folder: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const forms = formsOf(secret);
  const shows = (text: string | Buffer): boolean => forms.some((form) => text.includes(form));
  const leaks = Object.keys(texts).filter((name) => shows(texts[name] ?? ''));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (shows(await readFile(path))) leaks.push(path);
  }
  expect(leaks, 'places where the token stands').toEqual([]);
}

export async function itemsTable(folder: string): Promise<Record<string, string>[]> {
  return parse<Record<string, string>>(await readFile(join(folder, 'items.csv')), {
    columns: true,
    bom: true,
  });
}
