/** A service that repeats the user's token in every answer: the token must not get anywhere. */
import { describe, expect, test, type TestContext } from 'vitest';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import { itemsTable, noSecret } from '../promises.ts';
import { molecules, sequences, TOKEN, type Ran } from '../rig.ts';
import { histories, openRig, recordOf } from './faulty.ts';

const FEW: string | readonly object[] = [...sequences(4), ...molecules(2)];

/** Runs a campaign, and searches everything for the token. */
async function echoed(faults: FaultRule[], context: TestContext, manifest = FEW): Promise<Ran> {
  const rig = await openRig({ policy: { retryMs: 500, deadlineMs: 15_000 } }, context);
  rig.services.faults.set(faults);
  const ran = await rig.run(manifest);
  const texts = await histories(rig, ran.name);
  expect(Object.keys(texts).length, 'histories read').toBeGreaterThan(5);
  // Also those of the items, which the end of the rig does not read.
  await noSecret(TOKEN, ran.folder, texts);
  return ran;
}

interface Recorded {
  readonly files: Readonly<Record<string, { readonly redacted?: number }>>;
}

describe.concurrent('a service that echoes the token', () => {
  test('in every answer: files say how often it was overwritten', async (context) => {
    const ran = await echoed([{ name: 'echo-token' }], context, 'batches/demo');
    const overwritten = new Map<string, number>();
    for (const id of ran.ids) {
      const { files } = await recordOf<Recorded>(ran, id);
      for (const [name, { redacted = 0 }] of Object.entries(files)) {
        const key = name.replace('rejected/', '');
        overwritten.set(key, Math.max(redacted, overwritten.get(key) ?? 0));
      }
    }
    for (const name of ['result.json', 'history.json', 'result.csv', 'record.json', 'job.log'])
      expect(overwritten.get(name), name).toBeGreaterThan(0);
  });

  test('in the id of a job: the id is rejected', async (context) => {
    const ids = ['hash_id', 'request_id'].map((key): FaultRule => ({
      name: 'echo-token',
      endpoint: 'submit',
      key,
    }));
    for (const { error_code, state } of await itemsTable((await echoed(ids, context)).folder)) {
      expect(['SUBMIT_UNSURE', '']).toContain(error_code);
      expect(['held', 'succeeded']).toContain(state);
    }
  });
});
