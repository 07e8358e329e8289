/** The job of an item, read from the output tree: histories carry ids only. */
import { codedError } from '../domain/errors.ts';
import type { Kind, Options } from '../domain/item.ts';
import { serviceOf } from '../services/registry.ts';
import { longestName, type Job } from '../services/service.ts';
import { jobOptionsOf, type ItemRecord } from '../store/item-record.ts';
import { nameOfJob } from '../store/work.ts';
import { readItem } from '../store/item-store.ts';
import { itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';

export interface JobSource {
  readonly campaign: string;
  readonly id: string;
  readonly kind: Kind;
}

/** The name that the job of an item is submitted under (store/job-name.ts). */
export function jobName({ campaign, id }: JobSource, record: ItemRecord): string {
  const { jobNumber, input, jobLabel } = record;
  const job = { id, jobNumber, sha256: input.sha256, options: jobOptionsOf(record) };
  const longest = longestName(serviceOf(record.service));
  return nameOfJob(campaign, { ...job, label: jobLabel ?? null }, longest);
}

export async function requireItem(store: Store, { kind, id }: JobSource): Promise<ItemRecord> {
  // The next steps of the item need it in a moment.
  const record = await readItem(store, kind, id);
  if (record) return record;
  throw codedError('ITEM_MISSING', { location: store.location, id });
}

export interface StoredJob extends Job<Options> {
  readonly kind: Kind;
  /** False for an adopted job whose row gives no input: its result cannot be compared with it. */
  readonly inputKnown: boolean;
}

export async function readJob(store: Store, source: JobSource): Promise<StoredJob> {
  return jobOf(store, source, await requireItem(store, source));
}

export async function jobOf(
  store: Store,
  source: JobSource,
  record: ItemRecord,
): Promise<StoredJob> {
  const key = itemKey(source.kind, source.id, record.input.name);
  const text = await store.readText(key);
  if (text === null) {
    throw codedError('ITEM_INPUT_MISSING', {
      location: store.location,
      file: record.input.name,
      id: source.id,
    });
  }
  return {
    kind: record.kind,
    options: jobOptionsOf(record),
    input: { name: record.input.name, text },
    inputKnown: record.adopted?.inputKnown !== false,
    name: jobName(source, record),
    title: record.title ?? record.id,
    email: record.email,
  };
}
