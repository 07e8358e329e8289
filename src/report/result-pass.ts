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

/** In manifest order; the rows that were refused are the last. `onItem` is called for each item, and may throw to break off. */
export async function passResults(
  store: Store,
  campaign: PreparedCampaign,
  sinks: readonly ResultSink[],
  onItem: () => void,
): Promise<void> {
  try {
    for await (const item of listedItems(store, campaign)) {
      const reading = item.record === null ? null : await readResult(store, item.record);
      for (const sink of sinks) await sink.add({ item, reading });
      onItem();
    }
    for (const sink of sinks) await sink.end();
  } catch (error) {
    for (const sink of sinks) await sink.abandon(error);
    throw error;
  }
}
