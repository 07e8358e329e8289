/** Workers that are suspended or die around the opening of a window. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { campaignWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { itemsTable } from '../promises.ts';
import { replaysEveryHistory } from '../replay/every-history.ts';
import { molecules, sequences } from '../rig.ts';
import { Scene } from './scene.ts';

let scene: Scene;
afterEach(async () => scene.close());

/** Waits until this long (ms) before the first slot is free again. */
async function untilBeforeWindow(windowMs: number, beforeMs: number): Promise<void> {
  const first = scene.accepted()[0];
  if (!first) throw new Error('nothing was accepted yet');
  await delay(Math.max(0, first.at + windowMs - beforeMs - Date.now()));
}

describe('a worker', () => {
  test('that is suspended before a window opens does not hold molecules that were never sent', async () => {
    // Long enough that slots are granted 1.5 s ahead: the worker is suspended with all of them.
    const [limit, windowMs] = [6, 15_000];
    scene = await Scene.open({ moleculeLimit: limit, windowMs, jobMs: 50 });
    await scene.worker().ready;
    const started = await scene.start(molecules(2 * limit));
    await scene.untilAccepted(limit);
    await untilBeforeWindow(windowMs, 500);
    scene.workers[0]?.freeze();
    await delay(6_000);
    scene.workers[0]?.thaw();
    await scene.end(started);
    const rows = await itemsTable(started.folder);
    expect(rows.map(({ state, error }) => error || state)).toEqual(rows.map(() => 'succeeded'));
    await scene.keepsPromises(started);
  }, 180_000);

  test('that is killed before a timer fires, during queries, leaves histories that can be replayed', async () => {
    const windowMs = 6_000;
    scene = await Scene.open({ limit: 4, windowMs, jobMs: 50 });
    await scene.worker().ready;
    const started = await scene.start(sequences(12));
    await scene.untilAccepted(4);
    await scene.worker().ready;
    await untilBeforeWindow(windowMs, 800);
    await scene.workers[0]?.kill();
    // A worker that answers a query runs the workflow's code with the time of the previous task.
    const asking = new AbortController();
    const questions = (async () => {
      while (!asking.signal.aborted) {
        const soon = Date.now() + 8_000;
        void scene.client
          .withDeadline(soon, () => scene.budget().query('__stack_trace'))
          .catch(() => undefined);
        await delay(250);
      }
    })();
    await scene.end(started);
    asking.abort();
    await questions;
    await scene.keepsPromises(started);
    const items = started.ids.map((id) => itemWorkflowId(started.name, id));
    const ids = [scene.budget().workflowId, campaignWorkflowId(started.name), ...items];
    await replaysEveryHistory(scene.client, ids);
  }, 180_000);
});
