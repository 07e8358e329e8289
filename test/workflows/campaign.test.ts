import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { itemDoneSignal, nudgeSignal, resumeSignal } from '../../src/workflows/messages.ts';
import { buildItemWorkflowId } from '../../src/workflows/names.ts';
import { noSecret } from '../promises.ts';
import { molecules, progressOf, sequences, TOKEN, type Started } from '../rig.ts';
import {
  accepted,
  histories,
  openRig,
  outcomes,
  settingsOf,
  until,
  untilPaused,
  untilSent,
} from './faulty.ts';

const RECORDED = { engine: 'recorded', jobMs: 50 } as const;

async function succeeds({ handle, ids }: Started): Promise<void> {
  expect((await handle.result()).ended.succeeded).toBe(ids.length);
}

describe.concurrent('a campaign', () => {
  test('stores the results of the demo batch, all four kinds, and no token in any history', async (context) => {
    const rig = await openRig(RECORDED, context);
    const { folder, name, progress } = await rig.run('batches/demo');
    expect(progress.ended).toMatchObject({ succeeded: 24, failed: 0 });
    const texts = await histories(rig, name);
    expect(Object.keys(texts).length, 'histories read').toBeGreaterThan(24);
    await noSecret(TOKEN, folder, texts);
  });

  test('keeps the limit in several windows that it shares with another campaign', async (context) => {
    const rig = await openRig({ limit: 10, windowMs: 1_000 }, context);
    const rows = sequences(45);
    const started = await Promise.all([rig.start(rows.slice(20)), rig.start(rows.slice(0, 20))]);
    await Promise.all(started.map(succeeds));
  });

  test('loses nothing if the window is smaller than assumed: it is answered with 429', async (context) => {
    // Another client uses the token: we assume a larger limit than there is. Even a busy machine sends five in this time.
    const rig = await openRig({ limit: 3, windowMs: 6_000, believedLimit: 5 }, context);
    rig.breaks('neverRefusedForRate', 'the service allows fewer than the budget believes');
    const ran = await rig.run(sequences(6));
    expect(ran.progress.ended.succeeded).toBe(6);
    expect((await outcomes(ran, 'seq-5')).at(-1)).toBe('accepted');
  });

  test('carries its open items through continue-as-new, several times', async (context) => {
    const furtherWindows = [{ limit: 20, windowMs: 9_000 }];
    const limits = { limit: 8, windowMs: 3_000, furtherWindows };
    const rig = await openRig({ ...limits, jobMs: 10 }, context);
    await rig.stopWorker();
    const started = await rig.start([...molecules(40), ...sequences(40)]);
    const { handle } = started;
    for (let n = 0; n < 2; n += 1) {
      // Longer than the 300 events of the suite's server; while no worker runs, the campaign cannot end meanwhile.
      await Promise.all(Array.from({ length: 310 }, () => handle.signal('nudge')));
      const { runId } = await handle.describe();
      await rig.startWorker();
      await until(async () => (await handle.describe()).runId !== runId);
      if (n === 0) await rig.stopWorker();
    }
    await succeeds(started);
  });

  test('supports the earlier variant of the prediction service as well', async (context) => {
    const rig = await openRig({ variant: 'earlier' }, context);
    await succeeds(await rig.start(sequences(3)));
  });

  test('runs under a used name: into another folder, after its output or the folder of an item was removed', async (context) => {
    const rig = await openRig({}, context);
    const removed = (name: string) => async (folder: string) => {
      await rm(join(folder, name), { recursive: true });
      return 'results';
    };
    const again = async (name: string, meanwhile: (folder: string) => Promise<string>) => {
      const first = await rig.start(sequences(4), name);
      await succeeds(first);
      await succeeds(await rig.start(sequences(4), name, null, await meanwhile(first.folder)));
    };
    await again('used-elsewhere', () => Promise.resolve('others'));
    await again('used-removed', removed('.'));
    await again('used-item', removed('sequences/seq-2'));
  });

  test('resumes without its Temporal history: ended items are kept, and no job is submitted again', async (context) => {
    const rig = await openRig({ jobMs: 1_500, concurrency: 2, limit: 0 }, context);
    const rows = [...sequences(3), ...molecules(3)];
    const first = await rig.start(rows, 'survivor');
    // A molecule whose record does not tell of its job yet would be held.
    await untilSent(first);
    await until(async () => (await progressOf(first.handle)).ended.succeeded > 0);
    // The campaign first: one that lives ends an item that was terminated by hand as failed.
    await first.handle.terminate('as if its database were gone');
    const query = 'Campaign="survivor" AND ExecutionStatus="Running"';
    for await (const { workflowId } of rig.client.workflow.list({ query })) {
      // An item may end by itself while we read the list.
      const handle = rig.client.workflow.getHandle(workflowId);
      await handle.terminate('as if its database were gone').catch(() => undefined);
    }
    await rm(join(first.folder, 'items.csv'), { force: true });
    await succeeds(await rig.start(rows, 'survivor'));
    expect(accepted(rig), 'jobs that the services were given').toHaveLength(6);
  });
});

describe.concurrent('the operator', () => {
  const FEW = { limit: 5, windowMs: 1_500 };

  test('cancels: open items end as cancelled, and the tree is published', async (context) => {
    const rig = await openRig(FEW, context);
    const started = await rig.start(sequences(30));
    await until(() => accepted(rig).length >= 5);
    await started.handle.cancel();
    const { state, ended } = await started.handle.result();
    expect(state).toBe('cancelled');
    expect(ended.cancelled).toBeGreaterThan(0);
  });

  test('pauses and resumes at once: the budget receives both in order, or none', async (context) => {
    const rig = await openRig(FEW, context);
    const started = await rig.start(sequences(3));
    await rig.stopWorker();
    await started.handle.signal('pause');
    await started.handle.signal('resume');
    await rig.startWorker();
    await succeeds(started);
    // If both are in transit, the server may deliver the later first: the campaign would stay paused forever.
    const onTheirWay = new Set<string>();
    let told = 0;
    for (const event of (await started.handle.fetchHistory()).events ?? []) {
      const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
      const heard = event.externalWorkflowExecutionSignaledEventAttributes;
      if (heard) onTheirWay.delete(String(heard.initiatedEventId));
      if (sent?.signalName !== 'pause') continue;
      expect(onTheirWay, 'told before, and not heard yet').toEqual(new Set());
      onTheirWay.add(String(event.eventId));
      told += 1;
    }
    expect(told % 2, 'told, in pairs').toBe(0);
  });

  test('counts an end that was told before its row was begun, also when it continues as new meanwhile', async (context) => {
    const rig = await openRig({ limit: 1, windowMs: 10_000, jobMs: 20_000 }, context);
    const rows = sequences(2);
    const former = await rig.start(rows);
    await untilSent({ ...former, ids: ['seq-0'] });
    await former.handle.terminate();
    await rig.stopWorker();
    const { handle, name } = await rig.start(rows, former.name);
    // As of an item whose worker dies before it can close.
    const well = { state: 'succeeded', code: null, message: null } as const;
    await handle.signal(itemDoneSignal, { id: 'seq-0', ...well });
    await Promise.all(Array.from({ length: 310 }, () => handle.signal(nudgeSignal)));
    await rig.startWorker();
    await until(async () => (await progressOf(handle)).ended.succeeded > 0);
    const item = rig.client.workflow.getHandle(buildItemWorkflowId(name, 'seq-0'));
    expect((await item.describe()).status.name).toBe('RUNNING');
    expect((await handle.result()).ended.succeeded).toBe(2);
  });

  test.for(['recheck', 'token', 'grow'])(
    'checks its rows after %s, also when it continues as new meanwhile',
    async (signal, context) => {
      const hour = 3_600_000;
      const rig = await openRig({ limit: 1, windowMs: hour, watchEveryMs: hour }, context);
      const { handle } = await rig.start(sequences(2));
      await until(() => accepted(rig).length === 1);
      await rig.stopWorker();
      const reference = { ...settingsOf(rig, 'predictions').reference, credential: 'another' };
      const feeds = [{ reference, pages: 1, open: 9, batch: 9 }];
      const grown = { items: 2, invalid: 0, following: 0, feeds };
      await handle.signal(signal, signal === 'grow' ? grown : reference);
      await handle.signal(resumeSignal);
      await Promise.all(Array.from({ length: 310 }, () => handle.signal(nudgeSignal)));
      const { runId } = await handle.describe();
      await rig.startWorker();
      await until(async () => (await handle.describe()).runId !== runId);
      const listActivities = async () =>
        ((await handle.fetchHistory()).events ?? []).flatMap(
          (event) =>
            event.activityTaskScheduledEventAttributes?.activityType?.name ??
            // The watchdogs of other tests ask all campaigns.
            (event.workflowExecutionSignaledEventAttributes?.signalName === 'recheck'
              ? 'asked'
              : []),
        );
      await until(async () => (await listActivities()).length > 0);
      expect((await listActivities())[0]).toBe('checkItems');
    },
  );

  test('pauses and resumes: nothing is submitted in between', async (context) => {
    const rig = await openRig(FEW, context);
    const started = await rig.start(sequences(12));
    await until(() => accepted(rig).length >= 5);
    await started.handle.signal('pause');
    await untilPaused(rig, started.name);
    const before = accepted(rig).length;
    await delay(2_500);
    expect(accepted(rig).length, 'submissions while paused').toBe(before);
    await started.handle.signal('resume');
    await succeeds(started);
  });
});
