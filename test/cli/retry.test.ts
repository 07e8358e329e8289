/** One command runs items again that failed, are held or were cancelled, in the same output tree. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import { itemsTable, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { setFaults } from './rehearsal.ts';

const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'mR3tryT0kn',
  HUNDREDFOLD_PREDICTION_TOKEN: 'p-retry-token',
};

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

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
  const tree = at.path('results', 'night');
  const itemsOf = async () => new Map((await itemsTable(tree)).map((row) => [row['id'], row]));
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
  const first = [...(await itemsOf()).values()];
  const withCode = (code: string) => first.find((row) => row['error_code'] === code)?.['id'] ?? '';
  const failed = ['JOB_FAILED', 'JOB_LOST', 'RESULT_MISSING_FILES'].map(withCode);
  const held = withCode('SUBMIT_UNSURE');
  expect([...failed, held], 'each fault struck an item').not.toContain('');

  // Only what failed, and without the manifest.
  rmSync(manifest);
  const { stderr: ofFailed } = await at.runs(3, ['retry', 'night', '--failed'], typing);
  expect(ofFailed).toContain('night: 3 items run again (3 failed).');
  expect(ofFailed).toContain('3 former jobs are polled first, which uses no slot');
  const second = await itemsOf();
  for (const id of failed) expect(second.get(id)?.['state'], id).toBe('succeeded');
  expect(second.get(held)?.['state']).toBe('held');
  await treeIsWhole(tree);

  // A job that succeeded, but one of its files was lost on the disk: it is fetched again.
  const well = first.find(({ id, state }) => state === 'succeeded' && id?.startsWith('s'));
  rmSync(`${tree}/sequences/${well?.['id'] ?? ''}/result.json`);
  const words = ['retry', 'night', '--item', held];
  const { stderr } = await at.runs(3, words, typing);
  expect(stderr).toContain('1 item may already have a job at the service');
  const { stderr: asked } = await at.runs(0, ['retry', 'night'], typing);
  expect(asked).toContain('1 former job is polled first, which uses no slot');

  // Six of the first run, two new ones, and the held one again.
  const runs = [0, 3, 1, 1].map((retried) => ({ retried }));
  expect(read(`${tree}/campaign.json`)).toMatchObject({ submissions: 9, runs });
  expect((await at.runs(0, ['retry', 'night'], typing)).stderr).toContain('nothing to retry');
  expect((await services.end()).filter(({ accepted }) => accepted)).toHaveLength(9);
});

test('a cancelled campaign stays cancelled until retry, which survives kill -9 and sends nothing twice', async () => {
  const at = desk();
  const services = await servicesFor(at);
  at.write('night.csv', 'id,sequence,smiles\ns0,MKTAYIAKQR,\ns1,MKTAYIAKLL,\nm0,,CCO\nm1,,CCCO\n');
  const tree = at.path('results', 'night');
  const typing = { env: TOKENS };
  const run = ['run', 'night.csv'];
  const summary = () => read(`${tree}/campaign.json`);
  const isSent = (id: string) => {
    const file = `${tree}/sequences/${id}/item.json`;
    return existsSync(file) && /"remote_id": "/.test(readFileSync(file, 'utf8'));
  };
  const host = await at.hosts(TOKENS);

  // Sequences are sent and cannot be polled, molecules cannot be sent.
  await services.set([
    { name: 'error', service: 'predictions', endpoint: 'results' },
    { name: 'error', service: 'molecules', endpoint: 'submit' },
  ]);
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
  const completed = { state: 'completed', retried: 4 };
  expect(summary()).toMatchObject({ submissions: 4, runs: [{ state: 'cancelled' }, completed] });
});
