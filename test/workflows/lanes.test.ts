/** One campaign over the service and engines of the user's own: who computes which rows, and what happens when one is away. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Request } from '../../src/budget/queue.ts';
import { nudgeSignal, takenBackSignal } from '../../src/workflows/messages.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { sequences, type Rig } from '../rig.ts';
import { itemsTable } from '../promises.ts';
import { codes, openRig, outcomes, rowOf, settingsOf, until } from './faulty.ts';

const accepted = (services: Rig['services']) =>
  services.journal().filter((entry) => entry.accepted).length;

const ends = async (folder: string) =>
  Object.entries(Object.groupBy(await itemsTable(folder), ({ state }) => state ?? '')).map(
    ([state, rows]) => [state, rows?.length],
  );

describe.concurrent('two lanes', () => {
  test('share the rows, each as fast as it is', async (context) => {
    const remote = { limit: 10, windowMs: 30_000, engine: 'synthetic', jobMs: 100 } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 200, concurrency: 2 }] as const;
    const rig = await openRig({ ...remote, lanes }, context);
    const { folder, progress } = await rig.run(sequences(60));
    expect(progress.ended.succeeded).toBe(60);
    expect(await ends(folder)).toEqual([['succeeded', 60]]);
    const [own = 0, others = 0] = [...rig.lanes, rig.services].map(accepted);
    expect(own + others).toBe(60);
    const rows = await itemsTable(folder);
    const byLane = Object.groupBy(rows, ({ computed_at: at }) => at ?? '');
    const addresses = rig.settings.slice(1).map(({ reference }) => reference.address);
    expect(addresses.map((address) => byLane[address]?.length)).toEqual([others, own]);
    expect(own, 'at the lane, which has no limit').toBeGreaterThanOrEqual(30);
    expect(others, 'at the service').toBeGreaterThanOrEqual(10);
  });

  test('go on alone when the other is away, also with the rows that wait there', async (context) => {
    const remote = { limit: 10, windowMs: 5_000, engine: 'synthetic', jobMs: 50 } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 50, concurrency: 2 }] as const;
    for (const away of ['service', 'lane'] as const) {
      const rig = await openRig({ ...remote, lanes }, context);
      const [lane] = rig.lanes;
      await (away === 'service' ? rig.services : lane)?.close();
      const { folder, progress } = await rig.run(sequences(24));
      expect(progress.ended.succeeded, `without the ${away}`).toBe(24);
      expect(await ends(folder)).toEqual([['succeeded', 24]]);
    }
  });

  test('get rows of a budget that waits for a submission before it continues as new', async (context) => {
    const remote = { limit: 1, engine: 'synthetic', jobMs: 50 } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 50, concurrency: 2 }] as const;
    const rig = await openRig({ ...remote, lanes }, context);
    const gates = { service: Promise.withResolvers<null>(), lane: Promise.withResolvers<null>() };
    context.onTestFinished(() => Object.values(gates).forEach(({ resolve }) => resolve(null)));
    const held = { service: 0, lane: 0 };
    await rig.stopWorker();
    await rig.startWorker(undefined, (real) => ({
      ...real,
      fence: {
        pass: (own) => real.fence.pass(own),
        isAwaited: async (request) => {
          const at = 'givesBack' in (request as Request).job.launch ? 'lane' : 'service';
          held[at] += 1;
          await gates[at].promise;
          return real.fence.isAwaited(request);
        },
      },
    }));
    const { handle } = await rig.start(sequences(12));
    await until(() => held.service > 0 && held.lane > 0);
    const id = buildBudgetWorkflowId(settingsOf(rig, 'predictions').reference);
    const budget = rig.client.workflow.getHandle(id);
    await Promise.all(Array.from({ length: 310 }, () => budget.signal(nudgeSignal)));
    await until(async () => {
      const events = (await budget.fetchHistory()).events ?? [];
      const isAsked = events.findIndex(
        (event) => event.workflowTaskStartedEventAttributes?.suggestContinueAsNew,
      );
      return events.slice(isAsked).some((event) => event.workflowTaskCompletedEventAttributes);
    });
    gates.lane.resolve(null);
    await until(() => rig.lanes.every((lane) => accepted(lane) === 11));
    expect(accepted(rig.services)).toBe(0);
    gates.service.resolve(null);
    expect((await handle.result()).ended.succeeded).toBe(12);
  });

  test('give a row back whose engine was killed: the service does it', async (context) => {
    const faults = [{ name: 'kill-engine', times: 3 }] as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 200, concurrency: 2, faults }] as const;
    const rig = await openRig({ limit: 10, windowMs: 12_000, jobMs: 100, lanes }, context);
    const ran = await rig.run(sequences(20));
    expect(ran.progress.ended.succeeded).toBe(20);
    const attempts = await Promise.all(ran.ids.map((id) => outcomes(ran, id)));
    const back = ran.ids.filter((_, i) => attempts[i]?.includes('given-up'));
    expect(back).toHaveLength(3);
    rig.allowJobs(...back);
    const { address } = rig.settings[1]!.reference;
    for (const id of back) {
      expect(await outcomes(ran, id)).toEqual(['accepted', 'given-up', 'accepted']);
      expect((await rowOf(ran, id))['computed_at']).toBe(address);
    }
    const jobs = [rig.services, ...rig.lanes].map(accepted);
    expect(jobs.reduce((sum, many) => sum + many)).toBe(20 + 3);
    // The lane works: it gets other rows.
    expect(jobs[1]).toBeGreaterThan(3);
  });

  test('pause the one whose engines are killed again and again', async (context) => {
    const faults = [{ name: 'kill-engine' }] as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 50, concurrency: 2, faults }] as const;
    const policy = { sameFailures: 3 };
    const rig = await openRig({ limit: 0, jobMs: 100, policy, lanes }, context);
    const { progress } = await rig.run(sequences(20));
    expect(progress.ended.succeeded).toBe(20);
    const killed = rig.lanes.flatMap((lane) => lane.journal());
    expect(killed.length, 'jobs of the lane until it is paused').toBeLessThan(12);
    rig.allowJobs(...killed.map(({ jobName }) => `again: ${String(jobName)}`));
  });

  test('end a row whose engine was killed where there is no other', async (context) => {
    const faults = [{ name: 'kill-engine', times: 1 }] as const;
    const ran = await (await openRig({ faults }, context)).run(sequences(2));
    expect(await codes(ran)).toEqual({ '': 1, JOB_FAILED: 1 });
  });

  test('leave its rows to the others when one is not configured any more', async (context) => {
    const remote = { limit: 0, engine: 'synthetic', jobMs: 50 } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 50, concurrency: 2 }] as const;
    const rig = await openRig({ ...remote, believedLimit: null, lanes }, context);
    await rig.stopWorker();
    await rig.startWorker(rig.settings.filter(({ lane }) => !lane));
    const { progress } = await rig.run(sequences(12));
    expect(progress.ended.succeeded).toBe(12);
    expect(rig.lanes.map(accepted)).toEqual([0]);
  });

  test('end a campaign that is cancelled with all its rows, also when a late answer arrives', async (context) => {
    const faults = [{ name: 'slow', endpoint: 'submit', ms: 6_000 }] as const;
    const remote = { limit: 1, windowMs: 3_600_000, jobMs: 60_000, faults } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 60_000, concurrency: 2 }] as const;
    const rig = await openRig({ ...remote, lanes }, context);
    const { handle, folder } = await rig.start(sequences(12));
    const files = () => readdir(folder, { recursive: true });
    await until(async () => (await files()).some((path) => path.includes('sending-0')));
    await handle.cancel();
    await delay(1_500);
    const ids = sequences(12).map(({ id }) => id);
    const { service, address } = rig.settings[1]!.reference;
    await handle.signal(takenBackSignal, {
      service,
      address,
      token: 'of an earlier question',
      ids,
    });
    expect((await handle.result()).ended).toMatchObject({ cancelled: 12 });
  });

  test('find their jobs when the campaign is terminated and started again', async (context) => {
    const remote = { limit: 5, windowMs: 5_000, engine: 'synthetic', jobMs: 1_500 } as const;
    const lanes = [{ limit: 0, engine: 'synthetic', jobMs: 1_500, concurrency: 0 }] as const;
    const rig = await openRig({ ...remote, lanes }, context);
    const rows = sequences(20);
    const { handle, name } = await rig.start(rows);
    await until(() => accepted(rig.services) > 2 && rig.lanes.every((lane) => accepted(lane) > 2));
    await handle.terminate();
    // The other way round: each row comes to the other lane first.
    const { progress } = await rig.run([...rows].reverse(), name);
    expect(progress.ended.succeeded).toBe(20);
  });
});
