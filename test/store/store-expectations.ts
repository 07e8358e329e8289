/** Helpers for tests of the store. */
import { expect } from 'vitest';
import { readPage, type PageEntry } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { StoreCode } from '../../src/domain/error-codes/registry.ts';

/** The coded error that the work must fail with. */
export async function storeErrorFrom(work: Promise<unknown>): Promise<StoreError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error('the store accepted what it has to refuse');
  expect(outcome.error).toBeInstanceOf(StoreError);
  return outcome.error as StoreError;
}

export async function expectCode(work: Promise<unknown>, code: StoreCode): Promise<StoreError> {
  const error = await storeErrorFrom(work);
  expect(error.code, error.message).toBe(code);
  expect(error.remedy).not.toBe('');
  return error;
}

/** A page without the data that its items send and request, which test/store/prepare.test.ts covers. */
export async function entriesIn(
  store: Store,
  page: number,
): Promise<Omit<PageEntry, 'sends' | 'asks'>[]> {
  return (await readPage(store, page)).map(({ sends: _, asks: __, ...entry }) => entry);
}

export async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const element of source) all.push(element);
  return all;
}

/** The chunks, one by one. */
export async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    yield Buffer.from(text, 'utf8');
  }
}
