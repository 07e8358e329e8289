/**
 * The items of a campaign: the ended ones as the tree has them, in the order of the manifest; the open ones as Temporal
 * knows them, why they wait, and which are late.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { runInParallel } from '../domain/process.ts';
import { type Kind, isFinal, type ItemState, OPEN_STATES } from '../domain/campaign.ts';
import {
  readError,
  type Listed,
  readListedItems,
  readOwnCells,
  buildPath,
  readState,
} from '../store/campaign-items.ts';
import { RunTimes } from '../report/run-times.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { ItemRecord } from '../store/item-record.ts';
import type { Store } from '../store/store.ts';
import { readItem } from '../store/item-store.ts';
import type { Session } from '../temporal/host/session.ts';
import { ATTRIBUTES, buildItemQuery, buildRunningQuery } from '../workflows/names.ts';
import { findFailure, removeStop } from './obstacles.ts';

/** An item, as `items` and the output tree show it. */
export interface ItemLine {
  /** Unique in the campaign. */
  readonly id: string;
  /** What its input is; null for a refused row whose kind is unknown. */
  readonly kind: Kind | null;
  /** How it ended, or what it waits for. */
  readonly state: ItemState;
  /** Code of the error; null if there is none. */
  readonly code: string | null;
  /** The same in words, or why an open item waits or is late. */
  readonly message: string | null;
  /** The job's id at the service, once it has one. */
  readonly remoteId: string | null;
  /** Its folder in the campaign's; null of a row that was refused. */
  readonly path: string | null;
  /** ISO 8601, UTC: since when it is in this state, where that is known. */
  readonly since: string | null;
}

/** What a selection of rows looks at; `user`: the user's own columns. */
type SelectedItem = ItemLine & { readonly user: Readonly<Record<string, string>> };

/**
 * A running job that is late says so in its message: those of its size may be anywhere in the manifest.
 * @param open what Temporal knows of items (`readOpenItems`)
 */
export async function listItemLines(
  { store, campaign }: { readonly store: Store; readonly campaign: PreparedCampaign },
  open: ReadonlyMap<string, OpenItem>,
  isMeant: (item: SelectedItem) => boolean = () => true,
): Promise<readonly ItemLine[]> {
  const times = new RunTimes();
  const running = new Map<ItemLine, ItemRecord>();
  const lines: ItemLine[] = [];
  for await (const item of readListedItems(store, campaign)) {
    const runs = open.get(item.id);
    const line = readItemLine(item, runs);
    if (item.record !== null) times.add(item.record);
    if (!isMeant({ ...line, user: readOwnCells(item) })) continue;
    lines.push(line);
    if (item.record !== null && runs !== undefined) running.set(line, item.record);
  }
  const now = Date.now();
  return lines.map((line) => {
    const record = running.get(line);
    const late = record === undefined ? null : times.describeLate(record, now);
    return { ...line, message: line.message ?? late };
  });
}

/** @param open what Temporal knows of it, if it was queried */
export function readItemLine(item: Listed, open: OpenItem | undefined): ItemLine {
  const { id, kind, record } = item;
  const error = readError(item);
  const onDisk = readState(item);
  // An end is written before the item's workflow is closed: what is on disk is never older.
  const runs = isFinal(onDisk) ? undefined : open;
  const state = runs?.state ?? onDisk;
  return {
    id,
    kind,
    state,
    code: error?.code ?? null,
    message: error?.message ?? runs?.message ?? null,
    remoteId: runs?.remoteId ?? record?.remoteId ?? null,
    path: buildPath(item) || null,
    since: findSince(state, record, runs),
  };
}

function findSince(
  state: ItemState,
  record: Listed['record'],
  runs: OpenItem | undefined,
): string | null {
  if (isFinal(state)) return record?.finishedAt ?? null;
  if (state === 'waiting') return runs?.startedAt ?? null;
  return record?.submittedAt ?? runs?.startedAt ?? null;
}

/** Ended jobs that the open ones are compared with. */
const MAX_COMPARED = 100;
/** Late items that are named. */
const MAX_NAMED = 3;

/** `seq-17 is late: 3 h 10 min, others of its size took 4 min.`; null if none is. Compares with those that ended last. */
export async function describeLateItems(
  { client }: Pick<Session, 'client'>,
  { store, name }: { readonly store: Store; readonly name: string },
): Promise<string | null> {
  const read = async (status: 'Running' | 'Completed', most?: number) =>
    readRecords(store, await listWorkflows(client, buildItemQuery(name, status), most));
  const running = await read('Running');
  if (running.length === 0) return null;
  const times = new RunTimes();
  // An item whose workflow has not failed has a result.
  for (const one of await read('Completed', MAX_COMPARED)) times.add(one);
  const now = Date.now();
  const late = running.flatMap((record) => {
    const words = times.describeLate(record, now);
    return words === null ? [] : [`${record.id} is ${words}.`];
  });
  const more = late.length - MAX_NAMED;
  const named = [...late.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more are late.`] : [])];
  return named.length === 0 ? null : named.join(' ');
}

async function readRecords(
  store: Store,
  items: readonly WorkflowExecutionInfo[],
): Promise<ItemRecord[]> {
  const records: ItemRecord[] = [];
  await runInParallel(items, store.atOnce, async ({ typedSearchAttributes: found }) => {
    const { kind, item } = ATTRIBUTES;
    const record = await readItem(store, found.get(kind) ?? '', found.get(item) ?? '');
    if (record !== null) records.push(record);
  });
  return records;
}

/* Open items, as Temporal knows them */

/** An item whose workflow runs. */
export interface OpenItem {
  readonly state: ItemState;
  readonly remoteId: string | null;
  /** Why it waits; null if nothing hinders it. */
  readonly message: string | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/**
 * By id. Only open items: their number is limited, whatever the number of rows.
 * @param most not more than so many of them, whichever
 */
export async function readOpenItems(
  client: Client,
  campaign: string,
  most?: number,
): Promise<ReadonlyMap<string, OpenItem>> {
  const query = buildRunningQuery(['item'], { campaign });
  const open = await listWorkflows(client, query, most);
  const items = new Map<string, OpenItem>();
  await runInParallel(open, AT_ONCE, async ({ workflowId }) => {
    const described = await client.workflow.getHandle(workflowId).describe();
    const { typedSearchAttributes: found, startTime, raw } = described;
    const id = found.get(ATTRIBUTES.item);
    if (id === undefined) return;
    // Between its end and the close of its workflow, an item has a final state; the tree has it too.
    const state = OPEN_STATES.find((one) => one === found.get(ATTRIBUTES.state)) ?? 'running';
    const remoteId = found.get(ATTRIBUTES.remoteId) ?? null;
    const message = findFailure(raw)?.message ?? null;
    items.set(id, { state, remoteId, message, startedAt: startTime.toISOString() });
  });
  return items;
}

/** Items that are asked at a time. */
const AT_ONCE = 16;

/** What a query finds, the newest first, and not more than so many. */
export async function listWorkflows(
  client: Client,
  query: string,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query })) {
    found.push(info);
    if (found.length === most) break;
  }
  return found;
}

/** Items that are asked why they wait. */
const MAX_ASKED = 100;

/** Why items of a campaign wait; null if nothing hinders one of those that are asked. */
export async function findHindrance(client: Client, campaign: string): Promise<string | null> {
  return describeHindrance(await readOpenItems(client, campaign, MAX_ASKED));
}

/** Ids that are named. */
const NAMED = 3;

/** Reasons that are given; of a full disk, each item has its own. */
const REASONS = 3;

/** A sentence for each reason, the most frequent first; null if nothing hinders an item. */
export function describeHindrance(
  open: ReadonlyMap<string, Pick<OpenItem, 'message' | 'remoteId'>>,
): string | null {
  const hindered = [...open].filter(([, { message }]) => message !== null);
  // Requests about jobs differ in the ids of the jobs only.
  const readReason = ([, { message, remoteId }]: (typeof hindered)[number]): string =>
    (remoteId ? message?.replaceAll(remoteId, '…') : message) ?? '';
  const byReason = [...Map.groupBy(hindered, readReason)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const sentences = byReason.slice(0, REASONS).map(([reason, items]) => {
    const ids = items.slice(0, NAMED).map(([id]) => id);
    const named = ids.join(', ') + (items.length > NAMED ? ', …' : '');
    return `${countWaiting(items.length, 'item')} (${named}): ${removeStop(reason)}.`;
  });
  const others = byReason.slice(REASONS).flatMap(([, items]) => items);
  if (others.length > 0) sentences.push(`${countWaiting(others.length, 'other')}.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

function countWaiting(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} waits` : `${count} ${noun}s wait`;
}
