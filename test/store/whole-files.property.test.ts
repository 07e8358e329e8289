/** Any history of writes, including broken ones, leaves complete files only (promise 5). */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { onFolder, temporaryStore } from './temporary-store.ts';

type Fate = 'arrives' | 'resets' | 'is-cut' | 'runs-over';

interface Write {
  readonly key: string;
  readonly pieces: readonly Uint8Array[];
  readonly fate: Fate;
}

const write: fc.Arbitrary<Write> = fc.record({
  key: fc.constantFrom('items.csv', 'molecules/a/x', 'molecules/b/x', 'molecules/b/y'),
  pieces: fc.array(fc.uint8Array({ minLength: 1, maxLength: 3000 }), {
    minLength: 1,
    maxLength: 4,
  }),
  fate: fc.constantFrom<Fate>('arrives', 'arrives', 'resets', 'is-cut', 'runs-over'),
});

async function perform(store: Store, { key, pieces, fate }: Write): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield* pieces;
    await Promise.resolve();
    if (fate === 'resets') throw new Error('reset');
  };
  const off = fate === 'is-cut' ? 1 : fate === 'runs-over' ? -1 : 0;
  const options = { expectedBytes: length + off, durable: false };
  await store.write(key, body(), options);
}

test('after concurrent writes, each key has one complete body that was sent, or no file', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 5 }),
      async (rounds) => {
        const store = await temporaryStore();
        const allowed = new Map<string, Set<string>>();
        for (const round of rounds) {
          const ends = await Promise.allSettled(round.map(async (one) => perform(store, one)));
          const sent = round.map((one, n) => ({ ...one, kept: ends[n]?.status === 'fulfilled' }));
          for (const { fate, kept } of sent) expect(kept, fate).toBe(fate === 'arrives');
          for (const key of new Set(sent.filter(({ kept }) => kept).map(({ key }) => key))) {
            const last = sent.filter((one) => one.kept && one.key === key);
            allowed.set(key, new Set(last.map((one) => digest(Buffer.concat(one.pieces)))));
          }
        }
        expect(await Array.fromAsync(store.list(''))).toEqual([...allowed.keys()].sort());
        expect(await Array.fromAsync(store.leftovers())).toEqual([]);
        for (const [key, digests] of allowed) {
          expect(digests).toContain(digest((await store.read(key)) ?? new Uint8Array()));
        }
      },
    ),
    { numRuns: onFolder() ? 60 : 10 },
  );
});

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
