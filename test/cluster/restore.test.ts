/** The database of Temporal is lost while a campaign is open, and an earlier backup is restored. */
import { mkdtemp, rm } from 'node:fs/promises';
import { renameSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../packages/local-services/src/server.ts';
import { startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';
import { freePort, isListening, endProcess } from '../../src/temporal/machine.ts';
import { desk, type Desk } from '../cli/command.ts';
import { itemsTable, keepsPromises } from '../promises.ts';
import { molecules, sequences } from '../rig.ts';
import { requireTemporalCli } from '../shared-cli.ts';
import { createNamespace } from './create-namespace.ts';

const LIMITS = { limit: 4, windowMs: 5_000 };
const SEQUENCES = 16;
const MOLECULES = 10;

/** A Temporal server on a database file; docs/cluster.md has the same for PostgreSQL. */
async function startTemporal() {
  const dir = await mkdtemp(join(tmpdir(), 'hundredfold-restore-'));
  const file = (name: string) => join(dir, name);
  const port = await freePort();
  const start = () => startDevServer({ executable: requireTemporalCli(), dir, port });
  let server = await start();
  onTestFinished(async () => {
    await stopDevServer(server);
    await rm(dir, { recursive: true, force: true });
  });
  return {
    address: server.address,
    /** While everything runs. */
    async backUp(): Promise<void> {
      const database = new DatabaseSync(file('temporal.db'), { readOnly: true });
      await backup(database, file('backup.db'));
      database.close();
    },
    /** The database is gone; the backup replaces it. */
    async restore(): Promise<void> {
      await endProcess(server.pid, 'SIGKILL', 5_000);
      // The threads of the process end one after the other.
      await expect.poll(() => isListening(port)).toBe(false);
      for (const end of ['', '-wal', '-shm']) await rm(file(`temporal.db${end}`), { force: true });
      renameSync(file('backup.db'), file('temporal.db'));
      server = await start();
    },
  };
}

async function ended(at: Desk, items: number): Promise<void> {
  await expect
    .poll(() => at.done('night'), { timeout: 60_000, interval: 200 })
    .toBeGreaterThan(items);
}

test('an older database loses no item and submits no job twice', async () => {
  const temporal = await startTemporal();
  const services = await startLocalServices({
    engine: 'synthetic',
    retryAfterSeconds: 0,
    jobMs: 200,
    ...LIMITS,
    moleculeLimit: LIMITS.limit,
  });
  onTestFinished(() => services.close());
  const at = desk();
  const budget = `budget: { limit: ${LIMITS.limit}, window: ${LIMITS.windowMs}ms }`;
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${temporal.address}", namespace: lab }
services:
  molecules: { url: "${services.moleculesUrl}", ${budget} }
  predictions: { url: "${services.url}", ${budget} }
`,
  );
  const rows = [...sequences(SEQUENCES), ...molecules(MOLECULES)];
  at.write('night.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
  const tokens = {
    HUNDREDFOLD_MOLECULE_TOKEN: 'mRestore7Z',
    HUNDREDFOLD_PREDICTION_TOKEN: 'pRestoreToken9x',
  };
  const env = { env: tokens };
  createNamespace({ address: temporal.address, namespace: 'lab' });
  const first = at.type(['worker'], env);
  await at.runs(0, ['run', 'night.jsonl', '--detach'], env);
  await ended(at, 5);
  await temporal.backUp();
  await ended(at, at.done('night') + 8);
  first.kill('SIGTERM');
  await first.endsWith(0);
  await temporal.restore();

  const second = at.type(['worker'], env);
  const { stdout } = await at.runs(0, ['watch', 'night', '--json'], env);
  expect(JSON.parse(stdout)).toMatchObject({ items: { succeeded: rows.length } });
  second.kill('SIGTERM');
  await second.endsWith(0);
  const tree = at.path('results', 'night');
  const ids = rows.map(({ id }) => id);
  await keepsPromises({
    journal: services.journal(),
    windows: [LIMITS],
    rows: ids,
    trees: [{ folder: tree, ids }],
    secrets: Object.values(tokens),
    folders: [tree],
    texts: {},
  });
  const jobs = (await itemsTable(tree)).map(({ remote_id: id }) => id);
  expect(new Set(jobs).size).toBe(rows.length);
});
