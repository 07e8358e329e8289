/** A campaign that has outgrown the embedded server continues on a self-hosted Temporal. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const ROWS = 18;

test('an open campaign is moved with its jobs and charges, also if the move is killed in the middle', async () => {
  const at = desk();
  // All tests share the target server.
  const name = `move-${randomBytes(3).toString('hex')}`;
  await rehearse(at, { limit: 5, seconds: 8 });
  peptides(at, name, ROWS);
  const here = readFileSync(at.path('hundredfold.yaml'), 'utf8');
  const temporal = `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }`;
  at.write('there.yaml', `${temporal}\n${here}`);
  const env = TOKEN;
  await at.runs(0, ['run', `${name}.csv`, '--detach', '--yes'], { env });
  await expect.poll(() => at.done(name), { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
  const move = ['move', name, '--to', 'there.yaml'];
  const broken = at.type(move, { env });
  await delay(2_500);
  broken.kill('SIGKILL');
  await broken.ended;
  await at.runs(0, move, { env });
  await at.runs(0, ['stop'], { env });

  const there = ['--config', 'there.yaml'];
  const worker = at.type(['worker', ...there], { env });
  await at.runs(0, ['watch', name, ...there], { env });
  worker.kill('SIGTERM');
  await worker.endsWith(0);
});
