/** Work that waits until a burst of submissions or downloads is over. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Burst } from '../../src/activities/burst.ts';

const isOver = async (burst: Burst): Promise<() => boolean> => {
  let over = false;
  void burst.over().then(() => (over = true));
  await delay(0);
  return () => over;
};

test('nothing waits if nothing is in progress', async () => {
  expect((await isOver(new Burst()))()).toBe(true);
});

test('a burst is over when its last part is done', async () => {
  const burst = new Burst();
  const [first, second] = [{}, {}];
  burst.enter(first);
  burst.enter(second);
  burst.leave(first);
  const over = await isOver(burst);
  await delay(100);
  expect(over(), 'while the second is in progress').toBe(false);
  burst.leave(second);
  await expect.poll(over).toBe(true);
});

test('a part that never entered does not end one that did', async () => {
  const burst = new Burst();
  burst.enter({});
  burst.leave({});
  const over = await isOver(burst);
  await delay(100);
  expect(over()).toBe(false);
});

test('a burst that does not end holds nothing up forever', async () => {
  const burst = new Burst();
  burst.enter({});
  await burst.over();
  await burst.over();
});
