/** However the parts are produced, they arrive in the order of the items, and a failure leaves nothing open. */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Listed } from '../../src/report/campaign-items.ts';
import type { ResultParts } from '../../src/report/result-parts.ts';
import { passParts, type Maker, type PartsSink } from '../../src/report/result-pass.ts';
import { OwnColumns } from '../../src/report/tables/result-rows.ts';

const own = new OwnColumns().byKind;

async function* items(count: number): AsyncGenerator<Listed> {
  for (let index = 0; index < count; index += 1) {
    yield { id: `item-${index}`, kind: 'molecule', sharded: false, record: null, damage: null };
  }
  await Promise.resolve();
}

const partsOf = ({ id }: Listed): ResultParts => ({
  rows: null,
  measures: null,
  words: id,
  detail: { text: '{}', formula: null },
});

/** Records its calls. */
class Heard implements PartsSink {
  readonly words: string[] = [];
  readonly told: unknown[] = [];
  add({ item, parts }: { item: Listed; parts: ResultParts }): Promise<void> {
    expect(parts.words).toBe(item.id);
    this.words.push(parts.words);
    return Promise.resolve();
  }
  end(): Promise<void> {
    this.told.push('end');
    return Promise.resolve();
  }
  abandon(reason: unknown): Promise<void> {
    this.told.push(reason);
    return Promise.resolve();
  }
}

test('blocks are passed on in order, whichever is ready first, with limited concurrency', async () => {
  let underWay = 0;
  let most = 0;
  let blocks = 0;
  const maker: Maker = {
    atOnce: 3,
    make: async (block) => {
      most = Math.max(most, (underWay += 1));
      // The first of each three is the last to be ready.
      await setTimeout([20, 10, 0][blocks++ % 3]);
      underWay -= 1;
      return block.items.map(partsOf);
    },
  };
  const heard = new Heard();
  let done = 0;
  await passParts({ items: items(100), own, maker }, [heard], () => (done += 1));
  expect(heard.words).toEqual(Array.from({ length: 100 }, (_, index) => `item-${index}`));
  expect(heard.told).toEqual(['end']);
  expect({ done, most }).toEqual({ done: 100, most: 3 });
});

test('a block that fails aborts the pass, and every receiver gets the reason', async () => {
  const reason = new Error('the disk is gone');
  const maker: Maker = {
    atOnce: 4,
    make: (block) =>
      block.items.some(({ id }) => id === 'item-40')
        ? Promise.reject(reason)
        : Promise.resolve(block.items.map(partsOf)),
  };
  const all = [new Heard(), new Heard()];
  const pass = passParts({ items: items(100), own, maker }, all, () => undefined);
  await expect(pass).rejects.toBe(reason);
  for (const { told, words } of all) {
    expect(told).toEqual([reason]);
    expect(words).not.toContain('item-40');
  }
});

test('an item without parts is an error', async () => {
  const maker: Maker = {
    atOnce: 1,
    make: (block) => Promise.resolve(block.items.slice(1).map(partsOf)),
  };
  const pass = passParts({ items: items(3), own, maker }, [new Heard()], () => undefined);
  await expect(pass).rejects.toThrow();
});
