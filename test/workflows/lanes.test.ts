/** One campaign over the service and engines of the user's own: who computes which rows, and what happens when one is away. */
import { describe, expect, test } from 'vitest';
import { sequences, type Rig } from '../rig.ts';
import { itemsTable } from '../promises.ts';
import { openRig } from './faulty.ts';

const accepted = (services: Rig['services']) =>
  services.journal().filter((entry) => entry.accepted).length;

const ends = async (folder: string) =>
  Object.entries(Object.groupBy(await itemsTable(folder), ({ state }) => state ?? '')).map(
    ([state, rows]) => [state, rows?.length],
  );

describe.concurrent('two lanes', () => {
  test('share the rows, each as fast as it is', async (context) => {
    const remote = { limit: 10, windowMs: 10_000, engine: 'synthetic', jobMs: 100 } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 200, concurrency: 2 }] as const;
    const rig = await openRig({ ...remote, lanes }, context);
    const began = Date.now();
    const { folder, progress } = await rig.run(sequences(60));
    expect(progress.ended.succeeded).toBe(60);
    expect(await ends(folder)).toEqual([['succeeded', 60]]);
    const [own = 0, others = 0] = [...rig.lanes, rig.services].map(accepted);
    expect(own + others).toBe(60);
    // Alone, the service would have taken five windows.
    expect(Date.now() - began, 'ms').toBeLessThan(25_000);
  });
});
