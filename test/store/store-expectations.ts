/** What tests of the store ask for again and again. */
import { expect } from 'vitest';
import { StoreError, type StoreCode } from '../../src/store/store-error.ts';

/** The coded error that the work must end in. */
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

export async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const element of source) all.push(element);
  return all;
}

/** The pieces, one by one. */
export async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    yield Buffer.from(text, 'utf8');
  }
}
