import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { itemsTable } from '../promises.ts';
import { molecules, Rig, sequences, workerLog, type RigOptions, type Started } from '../rig.ts';
import { untilPaused } from './faulty.ts';

let rig: Rig;
afterEach(async () => rig.close());

const open = async (options: RigOptions) => (rig = await Rig.open(options));

/**
 * A campaign of this size has a short history: one event for each signal makes it longer than the 300 of the suite's
 * server, however many signals one task handles. While no worker runs, the campaign cannot end meanwhile.
 */
async function lengthen(handle: Started['handle']): Promise<void> {
  await Promise.all(Array.from({ length: 310 }, () => handle.signal('nudge')));
}

describe('a campaign', () => {
  test('stores the results of the demo batch, all four kinds', async () => {
    await open({ jobMs: 50 });
    const ran = await rig.run('batches/demo');
    expect(ran.progress.ended).toMatchObject({ succeeded: 24, failed: 0 });
  });

  test('delivers the successful items when others fail, each with its reason', async () => {
    await open({ jobMs: 50 });
    const ran = await rig.run('batches/failures');
    const rows = await itemsTable(ran.folder);
    expect(rows.some(({ state }) => state === 'succeeded')).toBe(true);
    const failed = rows.filter(({ state }) => state === 'failed');
    expect(failed.length).toBeGreaterThan(1);
    for (const { id, error } of failed)
      expect(error, `what the service said about ${id}`).not.toBe('');
  });

  test('keeps the limit with three windows of items, and gets no 429', async () => {
    const limits = { limit: 20, windowMs: 2_000 };
    await open({ ...limits, engine: 'synthetic', jobMs: 20, concurrency: 0 });
    const ran = await rig.run(sequences(60));
    expect(ran.progress.ended.succeeded).toBe(60);
  });

  test('shares one window with another campaign', async () => {
    const limits = { limit: 10, windowMs: 1_000 };
    await open({ ...limits, engine: 'synthetic', jobMs: 20, concurrency: 0 });
    const [one, two] = await Promise.all([
      rig.run(sequences(20)),
      rig.run(sequences(45).slice(20)),
    ]);
    expect([one.progress.ended.succeeded, two.progress.ended.succeeded]).toEqual([20, 25]);
  });

  test('carries its open items through continue-as-new, several times', async () => {
    const limits = { limit: 8, windowMs: 3_000 };
    await open({ ...limits, engine: 'synthetic', jobMs: 10, concurrency: 0 });
    await rig.stopWorker();
    const { handle, ...started } = await rig.start([...molecules(40), ...sequences(40)]);
    for (let n = 0; n < 2; n += 1) {
      await lengthen(handle);
      const { runId } = await handle.describe();
      await rig.startWorker();
      const isAnother = async () => (await handle.describe()).runId !== runId;
      await expect.poll(isAnother).toBe(true);
      if (n === 0) await rig.stopWorker();
    }
    const ran = { ...started, handle, progress: await handle.result() };
    expect(ran.progress.ended.succeeded).toBe(80);
  });

  test('continues after its worker was stopped in the middle', async () => {
    await open({ engine: 'synthetic', jobMs: 300, concurrency: 4, limit: 0 });
    const started = await rig.start(sequences(20));
    await expect.poll(() => rig.services.journal().length).toBeGreaterThan(3);
    await rig.stopWorker();
    await rig.startWorker();
    const ran = { ...started, progress: await started.handle.result() };
    expect(ran.progress.ended.succeeded).toBe(20);
  });

  test('leaves no token in histories, logs or the tree', async () => {
    await open({ jobMs: 20 });
    const ran = await rig.run('batches/demo');
    const texts: Record<string, string> = { 'worker log': workerLog.join('') };
    for await (const { workflowId, runId } of rig.client.workflow.list({
      query: `Campaign="${ran.name}"`,
    })) {
      const history = await rig.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const json = JSON.stringify(historyToJSON(history));
      // Payloads are base64 in histories.
      const decoded = json.replace(/"data":"([^"]*)"/g, (_, data: string) =>
        Buffer.from(data, 'base64').toString(),
      );
      texts[workflowId] = json + decoded;
    }
    expect(Object.keys(texts).length, 'histories read').toBe(26);
  });

  test('supports the earlier variant of the prediction service as well', async () => {
    await open({ engine: 'synthetic', variant: 'earlier', jobMs: 20 });
    const ran = await rig.run(sequences(3));
    expect(ran.progress.ended.succeeded).toBe(3);
  });
});

describe('the operator', () => {
  beforeEach(async () => {
    await open({ engine: 'synthetic', jobMs: 20, limit: 5, windowMs: 1_500, concurrency: 0 });
  });

  test('cancels: open items end as cancelled, and the tree is published', async () => {
    const started = await rig.start(sequences(30));
    await expect.poll(() => rig.services.journal().length).toBeGreaterThanOrEqual(5);
    await started.handle.cancel();
    const progress = await started.handle.result();
    expect(progress.state).toBe('cancelled');
    expect(progress.ended.cancelled).toBeGreaterThan(0);
  });

  test('pauses and resumes at once: the budget receives both in order', async () => {
    const started = await rig.start(sequences(3));
    await rig.stopWorker();
    await started.handle.signal('pause');
    await started.handle.signal('resume');
    await rig.startWorker();
    expect((await started.handle.result()).ended.succeeded).toBe(3);
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
    expect(told).toBe(2);
  });

  test('publishes when it is cancelled while a pause is on its way to the budget', async () => {
    const { handle } = await rig.start(sequences(3));
    await rig.stopWorker();
    await handle.signal('pause');
    await handle.cancel();
    await rig.startWorker();
    const { state, ended } = await handle.result();
    expect(state).toBe('cancelled');
    expect(ended.cancelled + ended.succeeded).toBe(3);
  });

  test('pauses and resumes: nothing is submitted in between', async () => {
    const started = await rig.start(sequences(12));
    await expect.poll(() => rig.services.journal().length).toBeGreaterThanOrEqual(5);
    await started.handle.signal('pause');
    await untilPaused(rig, started.name);
    const before = rig.services.journal().length;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(rig.services.journal().length, 'submissions while paused').toBe(before);
    await started.handle.signal('resume');
    expect((await started.handle.result()).ended.succeeded).toBe(12);
  });
});
