/** A campaign that has outgrown the embedded server continues on a self-hosted Temporal. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import {
  atMostOneJob,
  neverOverBudget,
  neverRefusedForRate,
  noItemLost,
  treeIsWhole,
} from '../promises.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const LIMITS = { limit: 5, windowMs: 8_000 };
const ROWS = 18;

test.each([
  ['in one go', null],
  ['with a kill in the middle', 2_500],
])(
  'an open campaign is moved %s, with its jobs and charges',
  async (_, killAfterMs) => {
    const at = desk();
    // All tests share the target server.
    const name = `move-${randomBytes(3).toString('hex')}`;
    const service = await rehearse(at, { limit: LIMITS.limit, seconds: LIMITS.windowMs / 1_000 });
    const ids = peptides(at, name, ROWS);
    const here = readFileSync(at.path('hundredfold.yaml'), 'utf8');
    at.write(
      'there.yaml',
      `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }\n${here}`,
    );
    const env = TOKEN;

    await at.runs(0, ['run', `${name}.csv`, '--detach', '--yes'], { env });
    await expect.poll(() => at.done(name), { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
    const move = ['move', name, '--to', 'there.yaml'];
    if (killAfterMs !== null) {
      const broken = at.type(move, { env });
      await delay(killAfterMs);
      broken.kill('SIGKILL');
      await broken.ended;
    }
    const { stderr } = await at.runs(0, move, { env });
    expect(stderr).toContain(`${name} continues at`);
    await at.runs(0, ['stop'], { env });

    const worker = at.type(['worker', '--config', 'there.yaml'], { env });
    const there = ['--config', 'there.yaml'];
    await at.runs(0, ['watch', name, ...there], { env });
    worker.kill('SIGTERM');
    await worker.endsWith(0);

    const tree = at.path('results', name);
    await noItemLost(tree, ids);
    await treeIsWhole(tree);
    const journal = await service.end();
    atMostOneJob(journal, ROWS);
    neverOverBudget(journal, LIMITS);
    neverRefusedForRate(journal);
  },
  240_000,
);

test('the other server must have the same services and tokens', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 2, seconds: 60 });
  const name = `move-${randomBytes(3).toString('hex')}`;
  peptides(at, name, 4);
  at.write(
    'there.yaml',
    `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }
services: { predictions: { url: "http://127.0.0.1:9", allowHttp: true, token: { env: OTHER } } }`,
  );
  const env = { ...TOKEN, OTHER: 'pAnother~77' };
  await at.runs(0, ['run', `${name}.csv`, '--detach', '--yes'], { env });
  const { stderr } = await at.runs(2, ['move', name, '--to', 'there.yaml'], { env });
  expect(stderr).toContain('MOVE_OTHER_SERVICE');
  const status = await at.runs(0, ['status', name], { env });
  expect(status.stdout, 'it goes on here').not.toContain('paused');
  await at.runs(0, ['stop'], { env });
  await service.end();
}, 180_000);
