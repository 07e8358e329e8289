/**
 * Reads a list whose form the contract does not show (2.7, 4.7): a bare array, an array under any key, pages, an object
 * keyed by id. In any form, an entry is an object with a name and an id.
 */
import type { PastJob } from '../../domain/outcomes.ts';
import { asObject } from '../../results/json.ts';
import { readLooseText } from '../tolerant.ts';
import { readRequestId } from './schemas.ts';

const NAME_KEYS = ['job_name', 'jobName', 'name', 'label'] as const;
const DEPTH_LIMIT = 8;

/** If entries are keyed by id, a key counts as an id only when it looks like one: it contains a digit. */
const KEY_ID = /^(?=.*\d)[\w-]{6,}$/;

interface PastResults {
  /** The id of the request with this name; null when no entry has it. */
  readonly remoteId: string | null;
  /** Entries on this page. */
  readonly entries: number;
  /** Entries that show a name. */
  readonly named: number;
}

export function searchPastResults(json: unknown, name: string): PastResults {
  const found = { remoteId: null as string | null, entries: 0, named: 0 };
  for (const { id, names } of entriesOf(json)) {
    found.entries += 1;
    found.named += names.length > 0 ? 1 : 0;
    if (names.includes(name)) found.remoteId ??= id;
  }
  return found;
}

/** All entries of a page, in order. */
export function pastEntries(json: unknown): readonly Omit<PastJob, 'kind'>[] {
  return entriesOf(json).map(({ id, names, object }) => {
    // Only these two fields of the timing block (2.4): there are tens of thousands of entries.
    const timing = asObject(object['timing']);
    return {
      remoteId: id,
      jobName: names[0] ?? null,
      state: readLooseText(object['status'] ?? object['state']),
      submittedAt: readLooseText(timing?.['queued_at']) ?? readLooseText(object['created_at']),
      finishedAt: readLooseText(timing?.['finished_at']),
    };
  });
}

interface Entry {
  readonly id: string;
  /** From all keys that may contain one. */
  readonly names: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
}

function entriesOf(json: unknown): readonly Entry[] {
  const entries: Entry[] = [];
  visit(json, null, 0, (object, key) => {
    const id = readRequestId(object) ?? (key !== null && KEY_ID.test(key) ? key : null);
    if (id === null) return;
    const names = NAME_KEYS.flatMap((nameKey) => readLooseText(object[nameKey]) ?? []);
    if (names.length > 0 || isEntry(object)) entries.push({ id, names, object });
  });
  return entries;
}

/** The query of the next page, or null. Only the query: the host of such a link is often an internal one. */
export function nextPage(json: unknown): string | null {
  const object = asObject(json);
  const places = [object, asObject(object?.['links']), asObject(object?.['pagination'])];
  for (const place of places) {
    const next = place?.['next'];
    if (typeof next !== 'string' || next === '') continue;
    const query = URL.parse(next, 'http://page.invalid/')?.search ?? '';
    if (query !== '') return query;
  }
  return null;
}

/** Without a name, an entry is recognised by a job's state or timing (contract 2.7), or by its chains (4.8). */
function isEntry(object: Readonly<Record<string, unknown>>): boolean {
  return 'timing' in object || 'status' in object || 'chains' in object;
}

function visit(
  json: unknown,
  key: string | null,
  depth: number,
  entry: (object: Readonly<Record<string, unknown>>, key: string | null) => void,
): void {
  if (depth > DEPTH_LIMIT) return;
  if (Array.isArray(json)) {
    for (const item of json) visit(item, null, depth + 1, entry);
    return;
  }
  const object = asObject(json);
  if (object === null) return;
  entry(object, key);
  for (const [inner, value] of Object.entries(object))
    if (typeof value === 'object') visit(value, inner, depth + 1, entry);
}
