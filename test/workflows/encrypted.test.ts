/** A campaign with a payload codec: nothing readable reaches the server, not even messages of failures. */
import { join } from 'node:path';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { readBudget } from '../../src/activities/budget-status.ts';
import { startWorkerWith } from '../../src/worker.ts';
import { budgetWorkflowId, campaignWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { PAYLOAD_CODEC } from '../payload-codec.ts';
import { Rig, sequences } from '../rig.ts';
import { ENCRYPTED } from '../namespaces.ts';

let rig: Rig;
beforeAll(async () => (rig = await Rig.open({ engine: 'synthetic', codec: PAYLOAD_CODEC })));
afterAll(() => rig.close());

const { History } = temporal.api.history.v1;
const { Failure } = temporal.api.failure.v1;

/** Every run of a workflow, as the server stores it. */
async function stored(workflowId: string): Promise<temporal.api.history.v1.IHistory[]> {
  const { client } = rig;
  const { namespace } = client.options;
  const histories: temporal.api.history.v1.IHistory[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId="${workflowId}"` })) {
    const execution = { workflowId, runId };
    const answer = await client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution,
    });
    histories.push(answer.history ?? {});
  }
  return histories;
}

/**
 * Payloads of search attributes, which the server must read, and of the markers of `patched()`, which contain only its
 * id.
 */
const READABLE = ['searchAttributes', 'patch-data'];

/** Encodings of all other payloads. */
function encodings(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return found;
  const { metadata } = node as { metadata?: Record<string, Uint8Array> };
  const encoding = metadata?.['encoding'];
  if (encoding instanceof Uint8Array) found.add(Buffer.from(encoding).toString());
  for (const [key, value] of Object.entries(node))
    if (!READABLE.includes(key)) encodings(value, found);
  return found;
}

function bytesOf(history: temporal.api.history.v1.IHistory): Buffer {
  return Buffer.from(History.encode(history).finish());
}

test('a campaign completes, and its stored histories and memos reveal nothing of it', async () => {
  const ran = await rig.run(sequences(3));
  expect(ran.progress.state).toBe('completed');
  const [, predictions] = rig.settings;
  if (!predictions) throw new Error('the rig has two services');
  const budget = budgetWorkflowId(predictions.reference);
  const ids = [
    campaignWorkflowId(ran.name),
    budget,
    ...ran.ids.map((id) => itemWorkflowId(ran.name, id)),
  ];
  let events = 0;
  for (const workflowId of ids) {
    for (const history of await stored(workflowId)) {
      events += history.events?.length ?? 0;
      expect([...encodings(history)], workflowId).toEqual(['binary/encrypted']);
      expect(bytesOf(history).includes(rig.folder), workflowId).toBe(false);
    }
  }
  expect(events).toBeGreaterThan(50);
  const { namespace } = rig.client.options;
  for (const workflowId of [campaignWorkflowId(ran.name), budget]) {
    const described = await rig.client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    expect([...encodings(described)], workflowId).toEqual(['binary/encrypted']);
  }
  // The same, decoded.
  expect((await ran.handle.describe()).memo?.['out']).toBe(ran.folder);
  expect(await readBudget(rig.client, budget)).toMatchObject({ service: 'predictions' });
});

test('failure messages are encrypted as well', async () => {
  await rig.stopWorker();
  const words = 'the disk of the lab is gone';
  const { client, taskQueue, settings: services, folder } = rig;
  const target = { address: inject('temporal'), namespace: ENCRYPTED, codec: PAYLOAD_CODEC };
  const stateFolder = join(folder, 'state');
  const environment = process.env;
  const options = { temporal: target, client, taskQueue, services, environment, stateFolder };
  const worker = await startWorkerWith(options, {
    dependencies: (real) => ({ ...real, openStore: () => Promise.reject(new Error(words)) }),
  });
  onTestFinished(() => worker.stop());
  const { name } = await rig.start(sequences(1));
  const execution = { workflowId: campaignWorkflowId(name) };
  const { namespace } = client.options;
  const failure = async () => {
    const raw = await client.workflowService.describeWorkflowExecution({ namespace, execution });
    return raw.pendingActivities.find(({ lastFailure }) => lastFailure)?.lastFailure;
  };
  await expect.poll(failure).toMatchObject({ message: 'Encoded failure' });
  const stored = Buffer.from(Failure.encode((await failure()) ?? {}).finish());
  expect(stored.includes(words)).toBe(false);
  expect([...encodings(await failure())]).toEqual(['binary/encrypted']);
  const { loadedDataConverter } = client.options;
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, await failure());
  expect(error?.message).toContain(words);
  await rig.client.workflow.getHandle(execution.workflowId).terminate();
});
