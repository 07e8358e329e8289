/**
 * Checks all rows once, before anything is submitted: which have problems, which have results already, which have to be
 * computed. `plan` shows it, `run` acts on it.
 */
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import {
  type CheckedRow,
  type Item,
  type Kind,
  type Options,
  type ServiceName,
  isFinal,
  canSucceed,
  type Problem,
} from '../domain/campaign.ts';
import { combineOptions, canShare, listKindNames } from '../kinds/registry.ts';
import { checkManifests } from '../manifest/check.ts';
import { listFields } from '../manifest/columns.ts';
import { formatShown, quote } from '../domain/plain-text.ts';
import { createError } from '../kinds/kind.ts';
import { toProblem } from '../manifest/problems.ts';
import type { ManifestDigest } from '../manifest/sources.ts';
import { findServiceOfKind } from '../services/registry.ts';
import type { InvalidRow } from '../store/prepared-campaign.ts';
import { type ItemRecord, readJobOptions } from '../store/item-record.ts';
import { shareDigest, computeWorkDigest } from '../store/item-store.ts';
import { type AssignedItem, isFollowing, readFormer } from '../store/prepare.ts';
import type { Miss, ResultCache } from '../store/deliver.ts';
import { type Store, StoreError } from '../store/store.ts';

/** Not compared: they do not affect the result. */
const BESIDE: readonly string[] = ['id', 'kind', 'email', 'title'];
/** Null if there is no conflict. `same`: the job is the same, even if it is written differently. */
export function checkChangedRow(former: ItemRecord, item: Item, same: boolean): Problem | null {
  // A failed result can be replaced: the user has corrected the row.
  if (same || !canSucceed(former.state)) return null;
  const differs = listFields()
    .filter((field) => !BESIDE.includes(field))
    .find((field) => (former.row[field] ?? '').trim() !== (item.row[field] ?? '').trim());
  const column = differs ?? 'file';
  // The same cell, but the file that it names has changed.
  const was = differs ? (former.row[column] ?? '').trim() : `SHA-256 ${former.input.sha256}`;
  const is = differs ? (item.row[column] ?? '').trim() : 'another content';
  const place = `${former.source.file} line ${former.source.line}`;
  const changed = createError(
    'MANIFEST_ROW_CHANGED',
    `This campaign already has the row, with another ${quote(column)}: it was ${quote(was)} (${formatShown(place)}; ${former.state}), now it is ${quote(is)}.`,
    'Give the changed row a new id, restore the previous value, or start another campaign with --name.',
    { column, value: item.row[column] ?? null },
  );
  return toProblem(changed, { ...item.source, id: item.id });
}

export interface SurveyOptions {
  /** Input files may be outside the folder of their manifest. */
  readonly allowOutside?: boolean;
  /** The campaign's own tree, if there is one from an earlier run. */
  readonly tree: Store | null;
  readonly signal?: AbortSignal;
  /** Results of earlier campaigns; null if there are none or they are disabled. */
  readonly cache: ResultCache | null;
  /** Addresses of the services for new jobs, as far as known. */
  readonly addresses: Readonly<Partial<Record<ServiceName, string>>>;
  /** Stores the rows, for `run`. */
  readonly spool?: Spool;
  /** False for a row that the service cannot answer: the recorded services have only the results of their examples. */
  readonly isAnswered?: (item: Item) => boolean;
  /** Ids of a sample: other rows are left out. */
  readonly only?: ReadonlySet<string>;
  /** Called for every problem as it is found. */
  readonly onProblem?: (problem: Problem) => void;
  /** Called for every row that was read. */
  readonly onRow?: (row: CheckedRow) => void;
}

/** The rows of a campaign, as counted before a run. */
export interface CountedRows {
  /** Number of rows, valid or not; blank lines do not count. */
  readonly rows: number;
  /** Rows by kind, valid or not, if the kind is known. */
  readonly kinds: Readonly<Record<Kind, number>>;
  /** Errors and warnings, in the order of the rows. */
  readonly problems: readonly Problem[];
  /** Number of errors. With one or more, `startCampaign` submits nothing unless `skipInvalid` is set. */
  readonly errors: number;
  /** Number of warnings. */
  readonly warnings: number;
  /** Rows with an error. */
  readonly invalid: number;
  /** Rows that ended in an earlier run of this campaign. */
  readonly ended: number;
  /** Rows whose job an earlier run has submitted. */
  readonly submitted: number;
  /** Rows whose job was submitted elsewhere. */
  readonly adopted: number;
  /** Rows that request the same work as another row: they share one job. */
  readonly duplicates: number;
  /** Rows that get the result of an earlier campaign. */
  readonly cached: number;
  /** Why the others cannot get one, with their numbers. */
  readonly notCached: Readonly<Partial<Record<Miss | 'no cache', number>>>;
  /** Jobs that the recorded services cannot answer. */
  readonly unanswered: number;
  /** Problems of whole files, whose rows are unknown. */
  readonly brokenFiles: number;
  /** Valid rows: the sum of ended, submitted, adopted, duplicates, cached and jobs. */
  readonly items: number;
  /** Rows with a record of the same id in the campaign's tree. */
  readonly known: number;
  /** Number of cached results that are synthetic. */
  readonly synthetic: number;
  /** Jobs that have to be submitted, by kind. */
  readonly jobs: Readonly<Record<Kind, number>>;
}

export interface Survey extends CountedRows {
  readonly digests: readonly ManifestDigest[];
  readonly shares: Shares;
}

export async function surveyManifests(
  manifests: readonly string[],
  options: SurveyOptions,
): Promise<Survey> {
  const surveyor = new Surveyor(options);
  const { allowOutside = false, only, signal } = options;
  const digests: ManifestDigest[] = [];
  const onDigest = (digest: ManifestDigest): void => void digests.push(digest);
  for await (const row of checkManifests(manifests, { allowOutside, onDigest })) {
    signal?.throwIfAborted();
    if (only?.has(row.item?.id ?? '') !== false) await surveyor.add(row);
  }
  return { ...surveyor.counts, digests, shares: surveyor.shares };
}

type Counts = { -readonly [K in keyof CountedRows]: CountedRows[K] } & {
  readonly kinds: Record<Kind, number>;
  readonly problems: Problem[];
  readonly jobs: Record<Kind, number>;
  readonly notCached: Partial<Record<Miss | 'no cache', number>>;
};

/** As what a valid row is counted; `jobs`: a job has to be submitted for it. */
type CountedAs = 'ended' | 'submitted' | 'adopted' | 'duplicates' | 'cached' | 'jobs';

const createCounts = (): Record<Kind, number> =>
  Object.fromEntries(listKindNames().map((kind) => [kind, 0]));

function countKind(counts: Record<Kind, number>, kind: Kind): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

class Surveyor {
  readonly shares = new Shares();
  readonly counts: Counts = {
    rows: 0,
    kinds: createCounts(),
    problems: [],
    errors: 0,
    warnings: 0,
    invalid: 0,
    brokenFiles: 0,
    items: 0,
    known: 0,
    ended: 0,
    submitted: 0,
    adopted: 0,
    duplicates: 0,
    cached: 0,
    synthetic: 0,
    unanswered: 0,
    jobs: createCounts(),
    notCached: {},
  };
  readonly #options: SurveyOptions;

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  async add(row: CheckedRow): Promise<void> {
    const { counts } = this;
    this.#options.onRow?.(row);
    if (row.source.line !== null) counts.rows += 1;
    if (row.kind !== null) countKind(counts.kinds, row.kind);
    for (const problem of row.problems) this.#report(problem);
    const { item } = row;
    const { tree } = this.#options;
    if (item === null) this.#refuse(row);
    else if (tree) await this.#addToTree(tree, item);
    else await this.#accept(item, null);
  }

  async #addToTree(tree: Store, item: Item): Promise<void> {
    const { former, same } = await readFormer(tree, item);
    if (former !== null) this.counts.known += 1;
    const problem = former && checkChangedRow(former, item, same !== null);
    if (problem) {
      this.#report(problem);
      this.#refuse({ ...item, problems: [problem] });
      return;
    }
    // With another input or other options, it starts from the beginning.
    await this.#accept(item, same);
  }

  #report(problem: Problem): void {
    if (problem.severity === 'error') this.counts.errors += 1;
    else this.counts.warnings += 1;
    this.counts.problems.push(problem);
    this.#options.onProblem?.(problem);
  }

  #refuse(row: Pick<CheckedRow, 'id' | 'kind' | 'row' | 'source' | 'problems'>): void {
    const { id, kind, source, problems } = row;
    const first = problems.find(({ severity }) => severity === 'error');
    if (source.line === null || id === null) {
      if (first) this.counts.brokenFiles += 1;
      return;
    }
    if (!first) throw new Error(`${id} was refused without a reason`);
    this.counts.invalid += 1;
    const { code, message } = first;
    const place = { file: source.file, line: source.line };
    const invalid: InvalidRow = { id, kind, source: place, row: row.row ?? {}, code, message };
    this.#options.spool?.add('invalid', invalid);
  }

  async #accept(item: Item, former: ItemRecord | null): Promise<void> {
    const { counts } = this;
    this.#options.spool?.add('item', item);
    const as = await this.#classify(item, former, this.shares.add(item));
    counts.items += 1;
    if (as === 'jobs') countKind(counts.jobs, item.kind);
    else counts[as] += 1;
  }

  async #classify(item: Item, former: ItemRecord | null, group: Group): Promise<CountedAs> {
    if (item.adopts && (former === null || !isFinal(former.state))) return 'adopted';
    if (former !== null && !isFollowing(former)) return keepFormer(former, group);
    if (group.leader !== item.id && isServed(group, item.options)) return 'duplicates';
    const isCached = await this.#findInCache(item);
    // A job that is not submitted yet will serve all rows of the group.
    group.served = isCached ? item.options : 'all';
    return isCached ? 'cached' : 'jobs';
  }

  async #findInCache(item: Item): Promise<boolean> {
    const { counts } = this;
    const { cache, addresses, isAnswered } = this.#options;
    const { options } = item;
    const address = addresses[findServiceOfKind(item.kind).name];
    const found =
      cache && address !== undefined
        ? await cache.find({ work: computeWorkDigest(item), options, address })
        : 'no cache';
    if (typeof found !== 'string') {
      if (found.result.engine === 'synthetic') counts.synthetic += 1;
      return true;
    }
    counts.notCached[found] = (counts.notCached[found] ?? 0) + 1;
    if (isAnswered?.(item) === false) counts.unanswered += 1;
    return false;
  }
}

/** It stays unchanged, and may serve other rows. */
function keepFormer(former: ItemRecord, group: Group): CountedAs {
  const { state, remoteId, options } = former;
  if (!isServed(group, options)) group.served = canSucceed(state) ? readJobOptions(former) : null;
  if (isFinal(state)) return 'ended';
  return remoteId === null ? 'jobs' : 'submitted';
}

/** Rows with the same work. */
interface Group {
  /** Id of the first of them. */
  readonly leader: string;
  rows: number;
  /** The combined options of all. */
  options: Options;
  /** Of the job or result that serves other rows, as `prepare` will decide it; null if none does. */
  served: Options | 'all' | null;
}

function isServed({ served }: Group, options: Options): boolean {
  return served === 'all' || (served !== null && canShare(served, options));
}

class Shares {
  readonly #groups = new Map<string, Group>();

  /** Adds the next row; returns the rows with the same work. */
  add(item: Item): Group {
    const { id: leader, options } = item;
    const digest = shareDigest(item);
    const group = this.#groups.get(digest) ?? { leader, rows: 0, options, served: null };
    this.#groups.set(digest, group);
    group.rows += 1;
    group.options = combineOptions(group.options, options);
    return group;
  }

  /** The same rows again, each with its share. */
  async *assign(items: AsyncIterable<Item>): AsyncGenerator<AssignedItem> {
    for await (const item of items) {
      const group = this.#groups.get(shareDigest(item));
      const isShared = group !== undefined && group.rows > 1;
      yield isShared ? { ...item, share: { leader: group.leader, options: group.options } } : item;
    }
  }
}

/** Rows between two chances for other work: reading would let nothing else run until the last one. */
const ROWS_AT_ONCE = 100;

/**
 * The checked rows of a campaign, between the check and the preparation: what was checked is what is submitted, and memory
 * does not grow with the table. In a temporary database, whose file has no name: a killed process leaves nothing.
 */
export class Spool {
  readonly #database = new DatabaseSync('');

  constructor() {
    this.#database.exec('CREATE TABLE item (json TEXT); CREATE TABLE invalid (json TEXT); BEGIN');
  }

  /** @throws StoreError */
  add(table: 'item' | 'invalid', row: Item | InvalidRow): void {
    try {
      this.#database.prepare(`INSERT INTO ${table} VALUES (?)`).run(JSON.stringify(row));
    } catch (cause) {
      throw new StoreError(
        'STORE_FULL',
        `Cannot keep the checked rows in a temporary file: ${(cause as Error).message}.`,
        'Free some space in /var/tmp, or set SQLITE_TMPDIR to another folder.',
        { cause },
      );
    }
  }

  /** In the order in which they were added. May be read more than once. */
  async *items(): AsyncGenerator<Item> {
    yield* this.#read('item') as AsyncGenerator<Item>;
  }

  async *invalid(): AsyncGenerator<InvalidRow> {
    yield* this.#read('invalid') as AsyncGenerator<InvalidRow>;
  }

  async *#read(table: 'item' | 'invalid'): AsyncGenerator {
    let rows = 0;
    for (const { json } of this.#database.prepare(`SELECT json FROM ${table}`).iterate()) {
      yield JSON.parse(String(json));
      rows += 1;
      if (rows % ROWS_AT_ONCE === 0) await setImmediate();
    }
  }

  /** Frees its disk space. May be called twice. */
  remove(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
