/**
 * One pass over the items of a campaign and their results: each is read once, and everything that is made of them takes
 * what it needs. Reading and parsing are what costs.
 */
import type { ResultReading } from '../results/reading.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { listedItems, type Listed } from './campaign-items.ts';
import { readResult } from './result-reading.ts';

export interface ItemResult {
  readonly item: Listed;
  /** Null where there is none: the item did not succeed, or the row was refused. */
  readonly reading: ResultReading | null;
}

/** Something that is made of all items and results, one after the other. */
export interface ResultSink {
  add(result: ItemResult): Promise<void>;
  /** All were added. */
  end(): Promise<void>;
  /** The pass has failed: nothing half may stay. Never throws. */
  abandon(reason: unknown): Promise<void>;
}

/** Results that are read while one is worked on: the disk is asked ahead of time. */
const AHEAD = 8;

/** In manifest order; the rows that were refused are the last. */
export async function* itemResults(
  store: Store,
  campaign: PreparedCampaign,
): AsyncGenerator<ItemResult> {
  const underWay: Promise<ItemResult>[] = [];
  try {
    for await (const item of listedItems(store, campaign)) {
      const result = itemResult(store, item);
      // Met when its turn comes.
      result.catch(() => undefined);
      underWay.push(result);
      if (underWay.length > AHEAD) yield await (underWay.shift() as Promise<ItemResult>);
    }
    for (let next = underWay.shift(); next !== undefined; next = underWay.shift()) yield await next;
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** Fills the sinks side by side. `onItem` is called for each item, and may throw to break off. */
export async function passResults(
  store: Store,
  campaign: PreparedCampaign,
  sinks: readonly ResultSink[],
  onItem: () => void,
): Promise<void> {
  try {
    for await (const result of itemResults(store, campaign)) {
      for (const sink of sinks) await sink.add(result);
      onItem();
    }
    for (const sink of sinks) await sink.end();
  } catch (error) {
    for (const sink of sinks) await sink.abandon(error);
    throw error;
  }
}

async function itemResult(store: Store, item: Listed): Promise<ItemResult> {
  return { item, reading: item.record === null ? null : await readResult(store, item.record) };
}
