/** A service that repeats the user's token in every answer: the token must not get anywhere. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/local-services/faults.ts';
import { itemsTable, noSecret } from '../promises.ts';
import { molecules, sequences, TOKEN, type Ran, type Rig } from '../rig.ts';
import { openRig } from './faulty.ts';

/** The complete histories of the campaign, its items and the budgets, with decoded payloads. */
async function histories(rig: Rig, { name }: Ran): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const budgets = rig.settings.map(
    ({ reference }) => `budget:${reference.service}:${reference.address}`,
  );
  const query = [`Campaign="${name}"`, ...budgets.map((id) => `WorkflowId="${id}"`)].join(' OR ');
  for await (const { workflowId, runId } of rig.client.workflow.list({ query })) {
    const history = await rig.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const json = JSON.stringify(historyToJSON(history));
    const decoded = json.replace(/"data":"([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    texts[workflowId] = json + decoded;
  }
  return texts;
}

const FEW: string | readonly object[] = [...sequences(4), ...molecules(2)];

/** Runs a campaign, and searches everything for the token. */
async function echoed(faults: readonly FaultRule[], manifest = FEW): Promise<Ran> {
  const rig = await openRig({
    engine: 'synthetic',
    policy: { patienceMs: 500, deadlineMs: 15_000 },
  });
  rig.services.faults.set(faults);
  const ran = await rig.run(manifest);
  const texts = await histories(rig, ran);
  expect(Object.keys(texts).length, 'histories read').toBeGreaterThan(5);
  // Also those of the items, which the end of the rig does not read.
  await noSecret(TOKEN, ran.folder, texts);
  return ran;
}

interface Recorded {
  readonly files: Readonly<Record<string, { readonly redacted?: number }>>;
}

describe('a service that echoes the token', () => {
  test('in every answer: files say how often it was overwritten', async () => {
    const { folder } = await echoed([{ name: 'echo-token' }], 'batches/demo');
    const rows = await itemsTable(folder);
    const files = new Map<string, number>();
    for (const { path = '' } of rows) {
      const record = JSON.parse(
        await readFile(join(folder, path, 'item.json'), 'utf8'),
      ) as Recorded;
      for (const [name, { redacted = 0 }] of Object.entries(record.files)) {
        const key = name.replace('rejected/', '');
        files.set(key, Math.max(redacted, files.get(key) ?? 0));
      }
    }
    for (const name of ['result.json', 'history.json', 'result.csv', 'record.json', 'job.log']) {
      expect(files.get(name), name).toBeGreaterThan(0);
    }
  });

  test('in refusals, failures and redirections', async () => {
    const faults: FaultRule[] = [
      { name: 'reject', endpoint: 'submit', service: 'predictions', times: 1 },
      { name: 'error', status: 308, endpoint: 'submit', service: 'predictions', times: 1 },
      { name: 'error', status: 404, endpoint: 'results', service: 'predictions', times: 1 },
      { name: 'fail', service: 'predictions', times: 1 },
    ];
    const { folder } = await echoed([...faults, { name: 'echo-token' }]);
    const rows = await itemsTable(folder);
    expect(rows.some(({ error }) => error?.includes('**********'))).toBe(true);
  });

  test('in the id of a job: the id is rejected', async () => {
    const ids = ['hash_id', 'request_id'].map((key): FaultRule => ({
      name: 'echo-token',
      endpoint: 'submit',
      key,
    }));
    const { folder } = await echoed(ids);
    for (const { error_code, state } of await itemsTable(folder)) {
      expect(['SUBMIT_UNSURE', '']).toContain(error_code);
      expect(['held', 'succeeded']).toContain(state);
    }
  });
});
