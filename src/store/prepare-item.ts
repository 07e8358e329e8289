/**
 * Prepares one item in the tree: its input and its record. Known results are not requested again: a record of an
 * earlier run, the job of another row, a result of an earlier campaign.
 */
import type { Item, Options } from '../domain/item.ts';
import { isFinal, maySucceed } from '../domain/states.ts';
import { deliver, duplicateOf, LEADER_CHANGED, LEADER_GONE, type Source } from './deliver.ts';
import { type ItemRecord, itemToDisk, jobOptionsOf, waitingRecord } from './item-record.ts';
import { jobText, readItem, writeItem } from './item-store.ts';
import { ITEM_RECORD, itemFolder, itemKey } from './layout.ts';
import { forNextRun } from './reopen.ts';
import type { Store } from './store.ts';
import { combined, covers } from '../kinds/registry.ts';

/** An item, with its share of work that several rows request. */
export interface AssignedItem extends Item {
  readonly share?: Share;
}

interface Share {
  /** Id of the first row that requests this work: it may be this one. */
  readonly leader: string;
  /** What all of the rows request together. */
  readonly options: Options;
}

/** A result of an earlier campaign for this item, if there is one. */
export type Known = (record: ItemRecord) => Promise<Source | null>;

export const nothingKnown: Known = () => Promise.resolve(null);

export class ItemPreparation {
  /** Keys that have to be flushed. */
  readonly written: string[] = [];
  readonly #store: Store;
  readonly #known: Known;
  /** By the id of the first row: the item whose job currently serves the others. */
  readonly #leaders: Map<string, ItemRecord>;

  constructor(store: Store, known: Known, leaders: Map<string, ItemRecord>) {
    this.#store = store;
    this.#known = known;
    this.#leaders = leaders;
  }

  /** An item that is already in the campaign and stays unchanged; it may serve others. */
  async meet({ kind, id, share }: AssignedItem): Promise<void> {
    const record = share ? await readItem(this.#store, kind, id) : null;
    if (record !== null && share) await this.#mayLead(share, record);
  }

  async prepare(item: AssignedItem): Promise<ItemRecord> {
    const fresh = waitingRecord(item);
    const onDisk = await readItem(this.#store, item.kind, item.id);
    const former = onDisk && forNextRun(onDisk, new Date().toISOString());
    const same = former !== null && isSameJob(former, fresh);
    if (former !== null && !same) await this.#removeFormerFiles(fresh);
    await this.#writeInput(item, same);
    const record =
      same && !isFollowing(former)
        ? withManifestRow(former, fresh)
        : await this.#begun(anew(former, fresh, same), item.share);
    if (item.share) await this.#mayLead(item.share, record);
    // The record is written after the input and the files: an existing record guarantees that they are there.
    if (onDisk === null || itemToDisk(record) !== itemToDisk(onDisk)) {
      await writeItem(this.#store, record, { durable: false });
      this.written.push(itemKey(item.kind, item.id, ITEM_RECORD));
    }
    return record;
  }

  async #writeInput({ kind, id, input }: Item, same: boolean): Promise<void> {
    const { original } = input;
    for (const { name, text } of original ? [input, original] : [input]) {
      const key = itemKey(kind, id, name);
      if (same && (await this.#store.exists(key))) continue;
      await this.#store.write(key, text, { durable: false });
      this.written.push(key);
    }
  }

  /** The record of an item that has no job yet: served by a known result, or left to wait for one. */
  async #begun(record: ItemRecord, share: Share | undefined): Promise<ItemRecord> {
    // Its job is fixed: the result of another job must not replace it.
    if (record.adopted) return record;
    const leader = share && this.#leaders.get(share.leader);
    if (leader && serves(leader, record)) {
      const served = await this.#servedBy(leader, record);
      if (served) return served;
      // Its files were edited: the rows after this one cannot use it either.
      this.#leaders.delete(share.leader);
    }
    const source = await this.#known(record);
    const delivered = source && (await deliver(this.#store, record, source, this.written));
    if (delivered) return delivered;
    // The row's own options except for predictors: a row wrongly taken for the same work changes nothing.
    return share ? { ...record, jobOptions: combined(record.options, share.options) } : record;
  }

  /** Null when the files of the other differ from its record. */
  async #servedBy(leader: ItemRecord, record: ItemRecord): Promise<ItemRecord | null> {
    if (leader.state !== 'succeeded')
      return { ...record, resultFrom: { type: 'duplicate', id: leader.id } };
    return deliver(this.#store, record, duplicateOf(this.#store, leader), this.written);
  }

  /** A row with its own job or result may serve later rows, if the row before it does not. */
  async #mayLead(share: Share, record: ItemRecord): Promise<void> {
    const leader = this.#leaders.get(share.leader);
    if (leader && serves(leader, record)) return;
    const own = isFollowing(record) ? await this.#followedBy(record) : record;
    if (own) this.#leaders.set(share.leader, own);
  }

  /** The item that this one follows: an item never follows a follower. */
  async #followedBy({ kind, resultFrom }: ItemRecord): Promise<ItemRecord | null> {
    return resultFrom ? readItem(this.#store, kind, resultFrom.id) : null;
  }

  /** Results of another input must not remain in the folder. The record is kept until it is replaced. */
  async #removeFormerFiles(item: ItemRecord): Promise<void> {
    const record = itemKey(item.kind, item.id, ITEM_RECORD);
    for await (const key of this.#store.list(`${itemFolder(item.kind, item.id)}/`)) {
      if (key !== record) await this.#store.remove(key);
    }
  }
}

/**
 * The item waits for the result of a row that may have been removed since, or it failed because the record or a file of
 * that row was missing or changed: this is checked each time.
 */
export function isFollowing({ state, resultFrom, error }: ItemRecord): boolean {
  if (resultFrom?.type !== 'duplicate') return false;
  return !isFinal(state) || [LEADER_GONE, LEADER_CHANGED].some((code) => code === error?.code);
}

/** For the budget, a new generation of the same item; otherwise its request would count as already answered. */
function anew(former: ItemRecord | null, fresh: ItemRecord, same: boolean): ItemRecord {
  if (former === null) return fresh;
  return { ...fresh, generation: former.generation + (same ? 0 : 1) };
}

/** Whether the job of the one provides what the other requests. A failed one is left to `retry`. */
function serves(leader: ItemRecord, { work, options }: ItemRecord): boolean {
  return maySucceed(leader.state) && leader.work === work && covers(jobOptionsOf(leader), options);
}

/** Whether the service would compute the same thing. */
export function isSameJob(former: ItemRecord, fresh: ItemRecord): boolean {
  return jobText(former) === jobText(fresh);
}

/** The manifest's other columns may have been edited since: the newest values count. */
function withManifestRow(former: ItemRecord, fresh: ItemRecord): ItemRecord {
  const { email, title, source, row, user } = fresh;
  return { ...former, email, title, source, row, user };
}
