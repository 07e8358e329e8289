/** One command runs items again that failed, are held or were cancelled, in the same output tree. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../src/local-services/faults.ts';
import { itemsTable, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { setFaults } from './rehearsal.ts';

const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'mR3tryT0kn',
  HUNDREDFOLD_PREDICTION_TOKEN: 'p-retry-token',
};

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

interface Summary {
  readonly started_at: string;
  readonly submissions: number;
  readonly runs: readonly { readonly retried: number }[];
}

interface ItemJson {
  readonly job_number: number;
  readonly remote_id: string | null;
  readonly job_name: string;
  readonly earlier: readonly {
    readonly error: { readonly code: string };
    readonly job_name: string;
  }[];
}

/** Services in their own process, which the desk's configuration names. */
async function servicesFor(at: Desk) {
  const options = ['--engine', 'synthetic', '--job-time', '100ms', '--retry-after', '0'];
  const typed = at.type(['services', '--port', '0', '--fault-control', ...options]);
  await typed.says('Ctrl-C stops');
  const url = /predictions: +(\S+)/.exec(typed.stderr)?.[1] ?? '';
  const services = { molecules: { url: `${url}/acpype` }, predictions: { url } };
  at.write('hundredfold.yaml', JSON.stringify({ services, jobs: { lostAfter: '1s' } }));
  return {
    set: (rules: readonly FaultRule[]) => setFaults(url, rules),
    async end() {
      typed.kill('SIGINT');
      await typed.endsWith(0);
      return at.journal(at.path('services.db'));
    },
  };
}

test('retry uses the existing job, the same job name, or a new job, as each item requires', async () => {
  const at = desk();
  // A molecule whose job is of no use gets another one.
  at.resends = true;
  const services = await servicesFor(at);
  const rows = [
    ...['MKTAYIAKQR', 'MKTAYIAKLL', 'MKTAYIAKGG'].map((s, i) => `s${i},${s},`),
    ...['CCO', 'CCCO', 'CCCCO'].map((s, i) => `m${i},,${s}`),
  ];
  const manifest = at.write('night.csv', `id,sequence,smiles\n${rows.join('\n')}\n`);
  const ids = rows.map((row) => row.slice(0, 2));
  const tree = at.path('results', 'night');
  const itemsOf = async () => new Map((await itemsTable(tree)).map((row) => [row['id'], row]));
  const recordOf = (id: string) =>
    read(`${tree}/${id.startsWith('s') ? 'sequences' : 'molecules'}/${id}/item.json`) as ItemJson;
  const typing = { env: TOKENS };
  await at.hosts(TOKENS);

  await services.set([
    { name: 'fail', service: 'predictions', times: 1 },
    { name: 'lose', service: 'predictions', times: 1 },
    { name: 'reset-after', service: 'molecules', times: 1 },
    { name: 'missing-key', service: 'molecules', endpoint: 'results', times: 1 },
  ]);
  const { stderr: hint } = await at.runs(3, ['run', 'night.csv'], typing);
  expect(hint).toContain('hundredfold retry night');
  await services.set([]);
  const first = await itemsOf();
  const withCode = (code: string) => ids.find((id) => first.get(id)?.['error_code'] === code) ?? '';
  const failed = ['JOB_FAILED', 'JOB_LOST', 'RESULT_MISSING_FILES'].map(withCode);
  const held = withCode('SUBMIT_UNSURE');
  expect([...failed, held], 'each fault struck an item').not.toContain('');

  // Only what failed, and without the manifest.
  rmSync(manifest);
  const { stderr: ofFailed } = await at.runs(3, ['retry', 'night', '--failed'], typing);
  expect(ofFailed).toContain('night: 3 items run again (3 failed).');
  expect(ofFailed).toContain('3 former jobs are polled first, which uses no slot');
  const second = await itemsOf();
  for (const id of failed) {
    expect(second.get(id)?.['state'], id).toBe('succeeded');
    const { job_number: number, earlier, job_name: name } = recordOf(id);
    // The result that lacked a file is complete now: that job is already charged, and no other is sent.
    const isOfUse = earlier[0]?.error.code === 'RESULT_MISSING_FILES';
    expect(number, 'a new job for one that is of no use any more').toBe(isOfUse ? 0 : 1);
    expect(name === earlier[0]?.job_name).toBe(isOfUse);
  }
  expect(second.get(held)?.['state']).toBe('held');
  await treeIsWhole(tree);

  // A job that succeeded, but one of its files was lost on the disk: it is fetched again.
  const succeeded = ids.find(
    (id) => first.get(id)?.['state'] === 'succeeded' && id.startsWith('s'),
  );
  rmSync(`${tree}/sequences/${String(succeeded)}/result.json`);
  const words = ['retry', 'night', '--item', held, '--json'];
  const { stderr, stdout } = await at.runs(3, words, typing);
  expect(stderr).toContain('1 item may already have a job at the service');
  expect(JSON.parse(stdout)).toMatchObject({ items: { succeeded: 5, failed: 1, held: 0 } });
  const { stderr: asked } = await at.runs(0, ['retry', 'night'], typing);
  expect(asked).toContain('1 former job is polled first, which uses no slot');

  const summary = read(`${tree}/campaign.json`) as Summary;
  expect(summary.runs.map(({ retried }) => retried)).toEqual([0, 3, 1, 1]);
  // Six of the first run, two new ones, and the held one again.
  expect(summary.submissions).toBe(9);

  const again = await at.runs(0, ['retry', 'night'], typing);
  expect(again.stderr).toContain('nothing to retry');
  const unknown = await at.runs(2, ['retry', 'night', '--item', held, 'nothing'], typing);
  expect(unknown.stderr).toContain('[ITEM_NOT_RETRYABLE]');
  expect(read(`${tree}/campaign.json`)).toEqual(summary);

  expect((await services.end()).filter(({ accepted }) => accepted)).toHaveLength(9);
});

test('a cancelled campaign stays cancelled until retry, which survives kill -9 and sends nothing twice', async () => {
  const at = desk();
  const services = await servicesFor(at);
  const rows = ['s0,MKTAYIAKQR,', 's1,MKTAYIAKLL,', 'm0,,CCO', 'm1,,CCCO'];
  at.write('night.csv', `id,sequence,smiles\n${rows.join('\n')}\n`);
  const tree = at.path('results', 'night');
  const typing = { env: TOKENS };
  const run = ['run', 'night.csv'];
  const summary = () => read(`${tree}/campaign.json`) as Summary;
  const isSent = (id: string) =>
    existsSync(`${tree}/sequences/${id}/item.json`) &&
    (read(`${tree}/sequences/${id}/item.json`) as ItemJson).remote_id !== null;
  const host = await at.hosts(TOKENS);

  // Sequences are sent and cannot be polled, molecules cannot be sent.
  const outage: FaultRule[] = [
    { name: 'error', service: 'predictions', endpoint: 'results' },
    { name: 'error', service: 'molecules', endpoint: 'submit' },
  ];
  await services.set(outage);
  const running = at.type(run, typing);
  await running.until(() => isSent('s0') && isSent('s1'), 'both sequences were sent');
  const { stderr: early } = await at.runs(2, ['retry', 'night'], typing);
  expect(early).toMatch(/\[CAMPAIGN_RUNNING\]\n.*hundredfold watch night/);
  await at.runs(0, ['cancel', 'night'], typing);
  await running.endsWith(4);
  const cancelled = summary();
  expect(cancelled).toMatchObject({ submissions: 2, runs: [{ state: 'cancelled', retried: 0 }] });

  const { stderr } = await at.runs(4, run, typing);
  expect(stderr).toContain('Nothing to do');
  expect(stderr).toContain('hundredfold retry night');
  expect(summary(), 'times and all').toEqual(cancelled);

  const retrying = at.type(['retry', 'night'], typing);
  await retrying.says('night: 0 of 4');
  expect(retrying.stderr).toContain('2 former jobs are polled first');
  for (const { child } of [retrying, host]) child.kill('SIGKILL');
  await Promise.all([retrying.ended, host.ended]);

  // Both continue: one runs the server, the other joins. Only then can the campaign end: whoever starts after its end
  // finds nothing to do.
  const [again, resumed] = [at.type(['retry', 'night'], typing), at.type(run, typing)];
  for (const one of [again, resumed]) await one.says('night: 0 of 4');
  await services.set([]);
  await again.endsWith(0);
  await resumed.endsWith(0);
  expect(again.stderr).toContain('already being retried');
  expect(summary()).toMatchObject({
    submissions: 4,
    started_at: cancelled.started_at,
    runs: [
      { state: 'cancelled', retried: 0 },
      { state: 'completed', retried: 4 },
    ],
  });
  expect((await itemsTable(tree)).filter(({ state }) => state !== 'succeeded')).toEqual([]);
});
