/** Files of a failed job are kept, like those of a finished one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/local-services/faults.ts';
import { molecules, sequences, type Ran, type Rig } from '../rig.ts';
import { openRig } from './faulty.ts';

const ROWS = [...sequences(1), ...molecules(1)];
const FAIL: FaultRule = { name: 'fail' };

interface ItemJson {
  readonly state: string;
  readonly remote_id: string;
  readonly error: { readonly code: string };
  readonly timing: { readonly started_at: string | null } | null;
  readonly files: Readonly<Record<string, unknown>>;
}

async function textOf({ folder }: Ran, place: string): Promise<string> {
  return readFile(join(folder, place), 'utf8');
}

async function recordOf(ran: Ran, place: string): Promise<ItemJson> {
  return JSON.parse(await textOf(ran, `${place}/item.json`)) as ItemJson;
}

async function failing(faults: readonly FaultRule[]): Promise<{ rig: Rig; ran: Ran }> {
  const rig = await openRig({ faults: [FAIL, ...faults] });
  const ran = await rig.run(ROWS);
  expect(ran.progress).toMatchObject({ failuresByCode: { JOB_FAILED: 2 } });
  return { rig, ran };
}

describe('if a job fails', () => {
  test('the log of a molecule and the history and timing of a prediction are kept', async () => {
    const { rig, ran } = await failing([]);

    const molecule = await recordOf(ran, 'molecules/mol-0');
    expect(Object.keys(molecule.files).sort()).toEqual(['job.log', 'record.json']);
    const answer = await fetch(`${rig.services.moleculesUrl}/api/${molecule.remote_id}/`);
    const { log } = (await answer.json()) as { log: string };
    expect(log).not.toBe('');
    expect(await textOf(ran, 'molecules/mol-0/job.log')).toBe(log);
    expect(JSON.parse(await textOf(ran, 'molecules/mol-0/record.json'))).toMatchObject({ log });

    const sequence = await recordOf(ran, 'sequences/seq-0');
    expect(Object.keys(sequence.files)).toEqual(['history.json']);
    const history = JSON.parse(await textOf(ran, 'sequences/seq-0/history.json')) as {
      history: { state: string }[];
    };
    expect(history.history.at(-1)?.state).toBe('FAILED');
    expect(sequence.timing?.started_at).not.toBeNull();
  });

  test('the item ends in the same way if the service does not have its log or history', async () => {
    const { ran } = await failing([
      { name: 'error', service: 'predictions', endpoint: 'history', status: 404 },
      { name: 'error', service: 'molecules', endpoint: 'results', status: 503, retryAfter: 3_600 },
    ]);
    for (const place of ['molecules/mol-0', 'sequences/seq-0'])
      expect((await recordOf(ran, place)).files).toEqual({});
  });

  test('the item ends if the service does not answer', async () => {
    const { ran } = await failing([{ name: 'hang', service: 'predictions', endpoint: 'history' }]);
    expect((await recordOf(ran, 'sequences/seq-0')).files).toEqual({});
  });
});

test('the log of a molecule whose files are incomplete is kept among the rejected files', async () => {
  const rig = await openRig({
    faults: [{ name: 'missing-key', service: 'molecules', endpoint: 'results' }],
  });
  const ran = await rig.run(molecules(1));
  const { error, files } = await recordOf(ran, 'molecules/mol-0');
  expect(error.code).toBe('RESULT_MISSING_FILES');
  expect(Object.keys(files)).toContain('rejected/job.log');
});
