/**
 * Lays one item out in the tree: its input and its record. What is known already is not asked for again: a record of
 * an earlier run, the job of another row, a result of an earlier campaign.
 */
import type { Item, Options } from '../domain/item.ts';
import { isFinal, maySucceed } from '../domain/states.ts';
import { deliver, duplicateOf, LEADER_GONE, type Source } from './deliver.ts';
import { itemToDisk } from './item-format.ts';
import { jobOptionsOf, waitingRecord, type ItemRecord } from './item-record.ts';
import { jobText, readItem, writeItem } from './item-store.ts';
import { ITEM_RECORD, itemFolder, itemKey } from './layout.ts';
import type { Store } from './store.ts';
import { combined, covers } from './work.ts';

/** An item, with its part in work that several rows ask for. */
export interface PlannedItem extends Item {
  readonly share?: Share;
}

export interface Share {
  /** Id of the first row that asks for this work: it may be this one. */
  readonly leader: string;
  /** What all of the rows ask for together. */
  readonly options: Options;
}

/** A result of an earlier campaign for this item, where there is one. */
export type Known = (record: ItemRecord) => Promise<Source | null>;

export class ItemPreparation {
  /** Keys that have to be flushed. */
  readonly written: string[] = [];
  readonly #store: Store;
  readonly #known: Known;
  /** By the id of the first row: the item whose job serves the others at present. */
  readonly #leaders: Map<string, ItemRecord>;

  constructor(store: Store, known: Known, leaders: Map<string, ItemRecord>) {
    this.#store = store;
    this.#known = known;
    this.#leaders = leaders;
  }

  /** An item that is in the campaign already, and stays as it is; it may serve others. */
  async meet({ kind, id, share }: PlannedItem): Promise<void> {
    const record = share ? await readItem(this.#store, kind, id) : null;
    if (record !== null && share) await this.#mayLead(share, record);
  }

  async prepare(item: PlannedItem): Promise<ItemRecord> {
    const fresh = waitingRecord(item);
    const former = await readItem(this.#store, item.kind, item.id);
    const same = former !== null && isSameJob(former, fresh);
    if (former !== null && !same) await this.#removeFormerFiles(fresh);
    await this.#writeInput(item, same);
    const record =
      same && !isFollowing(former)
        ? withManifestRow(former, fresh)
        : await this.#begun(anew(former, fresh, same), item.share);
    if (item.share) await this.#mayLead(item.share, record);
    // The record comes after the input and the files: a record that is there vouches for them.
    if (former === null || itemToDisk(record) !== itemToDisk(former)) {
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

  /** The record of an item that has no job yet: served by what is known, or left to wait for one. */
  async #begun(record: ItemRecord, share: Share | undefined): Promise<ItemRecord> {
    // Its job is named: no other one's result takes its place.
    if (record.adopted) return record;
    const leader = share && this.#leaders.get(share.leader);
    if (leader && serves(leader, record)) {
      const served = await this.#servedBy(leader, record);
      if (served) return served;
      // Its files were changed by hand: it is of no use to the rows after this one, either.
      this.#leaders.delete(share.leader);
    }
    const source = await this.#known(record);
    const delivered = source && (await deliver(this.#store, record, source, this.written));
    if (delivered) return delivered;
    // The row's own ones for everything but predictors: a row that only passes for the same work changes nothing.
    return share ? { ...record, jobOptions: combined(record.options, share.options) } : record;
  }

  /** Null when the files of the other are not what was recorded. */
  async #servedBy(leader: ItemRecord, record: ItemRecord): Promise<ItemRecord | null> {
    if (leader.state !== 'succeeded')
      return { ...record, resultFrom: { type: 'duplicate', id: leader.id } };
    return deliver(this.#store, record, duplicateOf(this.#store, leader), this.written);
  }

  /** A row with a job or a result of its own may serve those after it, where the one before does not. */
  async #mayLead(share: Share, record: ItemRecord): Promise<void> {
    const leader = this.#leaders.get(share.leader);
    if (leader && serves(leader, record)) return;
    const own = isFollowing(record) ? await this.#followedBy(record) : record;
    if (own) this.#leaders.set(share.leader, own);
  }

  /** Nobody follows a follower. */
  async #followedBy({ kind, resultFrom }: ItemRecord): Promise<ItemRecord | null> {
    return resultFrom ? readItem(this.#store, kind, resultFrom.id) : null;
  }

  /** Results of another input must not lie beside this one. The record goes on vouching till the end. */
  async #removeFormerFiles(item: ItemRecord): Promise<void> {
    const record = itemKey(item.kind, item.id, ITEM_RECORD);
    for await (const key of this.#store.list(`${itemFolder(item.kind, item.id)}/`)) {
      if (key !== record) await this.#store.remove(key);
    }
  }
}

/**
 * It waits for the result of a row that may have been taken out since, or failed because that row's record was gone:
 * looked at anew each time.
 */
export function isFollowing({ state, resultFrom, error }: ItemRecord): boolean {
  if (resultFrom?.type !== 'duplicate') return false;
  return !isFinal(state) || error?.code === LEADER_GONE;
}

/** For the budget it is another life of the same item, or its request would pass for one that was answered. */
function anew(former: ItemRecord | null, fresh: ItemRecord, same: boolean): ItemRecord {
  if (former === null) return fresh;
  return { ...fresh, generation: former.generation + (same ? 0 : 1) };
}

/** Whether the job of the one brings what the other asks for. One that has failed is left to `retry`. */
function serves(leader: ItemRecord, { work, options }: ItemRecord): boolean {
  return maySucceed(leader.state) && leader.work === work && covers(jobOptionsOf(leader), options);
}

/** Whether the service would compute the same thing. */
export function isSameJob(former: ItemRecord, fresh: ItemRecord): boolean {
  return jobText(former) === jobText(fresh);
}

/** What the manifest says beside the job itself may have been edited since: the newest counts. */
function withManifestRow(former: ItemRecord, fresh: ItemRecord): ItemRecord {
  const { email, title, source, row, user } = fresh;
  return { ...former, email, title, source, row, user };
}
