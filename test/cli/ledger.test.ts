/** Two folders, two Temporal servers, one token: the service sees one user who stays within the limit. */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startLocalServices } from '../../src/local-services/server.ts';
import { neverOverBudget, neverRefusedForRate } from '../promises.ts';
import { sequences } from '../rig.ts';
import { desk } from './command.ts';

const LIMIT = 10;
const WINDOW_MS = 20_000;
const ROWS = 12;
const TOKEN = { HUNDREDFOLD_PREDICTION_TOKEN: 'pLedger~9Z' };

test('two folders with one token stay within its limit together, also when a database is deleted in between', async () => {
  const at = desk();
  const services = await startLocalServices({
    engine: 'synthetic',
    jobMs: 0,
    limit: LIMIT,
    windowMs: WINDOW_MS,
  });
  try {
    const config = at.write(
      'hundredfold.yaml',
      `services: { predictions: { url: "${services.url}", budget: { limit: ${LIMIT}, window: ${WINDOW_MS / 1_000}s } } }`,
    );
    const rows = sequences(2 * ROWS);
    for (const [n, folder] of ['one', 'two'].entries()) {
      const own = rows.slice(n * ROWS, (n + 1) * ROWS);
      at.write(`${folder}/${folder}.jsonl`, own.map((row) => JSON.stringify(row)).join('\n'));
    }
    const run = (folder: string) =>
      at.type(['run', `${folder}.jsonl`, '--json', '--config', config, '--no-cache'], {
        env: TOKEN,
        cwd: at.path(folder),
      });
    const one = run('one');
    const two = run('two');
    await delay(12_000);
    one.kill('SIGKILL');
    await one.ended;
    const left = at.record('server', at.path('one', '.hundredfold'))?.['pid'];
    if (typeof left === 'number') process.kill(left, 'SIGKILL');
    await two.endsWith(0);
    rmSync(at.path('one', '.hundredfold'), { recursive: true, force: true });
    // Its tree is not locked by the server that is gone.
    const again = await run('one').endsWith(0);
    expect(again.stderr).toContain('is taken over');
    const journal = services.journal();
    neverRefusedForRate(journal);
    neverOverBudget(journal, { limit: LIMIT, windowMs: WINDOW_MS });
    expect(journal.filter(({ accepted }) => accepted).length).toBeGreaterThanOrEqual(2 * ROWS);
  } finally {
    await services.close();
  }
});
