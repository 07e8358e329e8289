/** A campaign with a payload codec: nothing readable reaches the server, not even messages of failures. */
import { join } from 'node:path';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { temporal } from '@temporalio/proto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readBudget } from '../../src/activities/budget-run.ts';
import { startWorkerWith } from '../../src/worker.ts';
import {
  buildBudgetWorkflowId,
  buildCampaignWorkflowId,
  buildItemWorkflowId,
} from '../../src/workflows/names.ts';
import { PAYLOAD_CODEC } from '../payload-codec.ts';
import { sequences, type Rig } from '../rig.ts';
import { ENCRYPTED } from '../namespaces.ts';
import { openRig, settingsOf } from './faulty.ts';

const { History } = temporal.api.history.v1;
const { Failure } = temporal.api.failure.v1;

/** Every run of a workflow, as the server stores it. */
async function stored({ client }: Rig, workflowId: string) {
  const { namespace } = client.options;
  const histories: temporal.api.history.v1.IHistory[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId="${workflowId}"` })) {
    const asked = { namespace, execution: { workflowId, runId } };
    const { history } = await client.workflowService.getWorkflowExecutionHistory(asked);
    histories.push(history ?? {});
  }
  return histories;
}

/** Search attributes, which the server must read, and markers of `patched()`, which contain only its id. */
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

test('a campaign completes, and its stored histories, memos and failures reveal nothing of it', async () => {
  const rig = await openRig({ codec: PAYLOAD_CODEC });
  const { client, taskQueue, settings: services, folder } = rig;
  const { namespace } = client.options;
  const ran = await rig.run(sequences(3));
  expect(ran.progress.state).toBe('completed');
  const budget = buildBudgetWorkflowId(settingsOf(rig, 'predictions').reference);
  const campaign = buildCampaignWorkflowId(ran.name);
  const items = ran.ids.map((id) => buildItemWorkflowId(ran.name, id));
  for (const workflowId of [campaign, budget, ...items]) {
    for (const history of await stored(rig, workflowId)) {
      expect([...encodings(history)], workflowId).toEqual(['binary/encrypted']);
      const bytes = Buffer.from(History.encode(history).finish());
      expect(bytes.includes(folder), workflowId).toBe(false);
    }
  }
  const described = (workflowId: string) =>
    client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
  for (const workflowId of [campaign, budget])
    expect([...encodings(await described(workflowId))], workflowId).toEqual(['binary/encrypted']);
  // The same, decoded.
  expect((await ran.handle.describe()).memo?.['out']).toBe(ran.folder);
  expect(await readBudget(client, budget)).toMatchObject({ service: 'predictions' });

  await rig.stopWorker();
  const words = 'the disk of the lab is gone';
  const target = { address: inject('temporal'), namespace: ENCRYPTED, codec: PAYLOAD_CODEC };
  const stateFolder = join(folder, 'state');
  const worker = await startWorkerWith(
    { temporal: target, client, taskQueue, services, stateFolder },
    { dependencies: (real) => ({ ...real, openStore: () => Promise.reject(new Error(words)) }) },
  );
  onTestFinished(() => worker.stop());
  const { handle } = await rig.start(sequences(1));
  const failure = async () =>
    (await described(handle.workflowId)).pendingActivities.find((one) => one.lastFailure)
      ?.lastFailure;
  await expect.poll(failure).toMatchObject({ message: 'Encoded failure' });
  expect(Buffer.from(Failure.encode((await failure()) ?? {}).finish()).includes(words)).toBe(false);
  expect([...encodings(await failure())]).toEqual(['binary/encrypted']);
  const { loadedDataConverter } = client.options;
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, await failure());
  expect(error?.message).toContain(words);
  await handle.terminate();
});
