import { expect, test } from 'vitest';
import { Slots } from '../../src/local-services/slots.ts';

/** A worker with an endless queue; `ran` lists whose jobs got a slot. */
function worker(name: string, slots: Slots, ran: string[]): () => void {
  const pump = (): void => {
    while (slots.take(pump)) ran.push(name);
  };
  return pump;
}

test('no more jobs run than there are slots, and the workers take turns with free ones', () => {
  const slots = new Slots(2);
  const ran: string[] = [];
  const one = worker('one', slots, ran);
  const two = worker('two', slots, ran);
  one();
  two();
  expect(ran).toEqual(['one', 'one']);
  for (let n = 0; n < 4; n += 1) slots.free();
  expect(ran.slice(2)).toEqual(['one', 'two', 'one', 'two']);
});

test('a limit of 0 is no limit', () => {
  const slots = new Slots(0);
  expect(Array.from({ length: 1_000 }, () => slots.take(() => undefined))).not.toContain(false);
});
