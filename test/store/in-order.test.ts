import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inOrder } from '../../src/store/in-parallel.ts';
import { collected } from './store-expectations.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let n = 0; n < count; n += 1) {
    await Promise.resolve();
    yield n;
  }
}

test('outcomes are in the order of the elements, with limited concurrency', async () => {
  let running = 0;
  let most = 0;
  const outcomes = await collected(
    inOrder(numbers(20), 4, async (n) => {
      most = Math.max(most, (running += 1));
      await delay((20 - n) % 7);
      running -= 1;
      return n * 10;
    }),
  );
  expect(outcomes).toEqual(Array.from({ length: 20 }, (_, n) => n * 10));
  expect(most).toBe(4);
});

test('a failure is reported in its turn, and nothing is started after it', async () => {
  const begun: number[] = [];
  const seen: number[] = [];
  const reading = async (): Promise<void> => {
    const outcomes = inOrder(numbers(20), 3, async (n) => {
      begun.push(n);
      await Promise.resolve();
      if (n === 2) throw new Error('gone');
      return n;
    });
    for await (const n of outcomes) seen.push(n);
  };
  await expect(reading()).rejects.toThrow('gone');
  expect(seen).toEqual([0, 1]);
  expect(begun.length).toBeLessThan(7);
});
