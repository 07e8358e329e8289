/**
 * The states of the items of each page of a campaign that has ended. Written when it is published and removed before
 * any record is changed again, so that the failed items among a million are found without reading every record.
 *
 * Rejected: items.csv, which takes longer to read than the records of the pages in question.
 */
import { z } from 'zod';
import { FINAL_STATES, OPEN_STATES } from '../domain/states.ts';
import { parseJson } from '../results/json.ts';
import { PAGE_STATES } from './layout.ts';
import type { Store } from './store.ts';

/** For each page, numbered from 0, the states of its items. */
export type StatesByPage = readonly ReadonlySet<string>[];

const onDisk = z.array(z.array(z.enum([...OPEN_STATES, ...FINAL_STATES])));

export async function writePageStates(store: Store, states: StatesByPage): Promise<void> {
  await store.write(PAGE_STATES, JSON.stringify(states.map((page) => [...page])));
}

/** Before a record is changed. */
export async function removePageStates(store: Store): Promise<void> {
  await store.remove(PAGE_STATES);
}

/** Null if records have changed since the campaign was published, and in trees of earlier versions. */
export async function readPageStates(store: Store): Promise<StatesByPage | null> {
  const text = await store.readText(PAGE_STATES);
  const read = onDisk.safeParse(text === null ? null : parseJson(text));
  return read.success ? read.data.map((page) => new Set(page)) : null;
}
