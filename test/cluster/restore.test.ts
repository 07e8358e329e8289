/**
 * PostgreSQL is lost while a campaign is open, and an earlier backup is restored. Skipped if the programs are missing:
 * tools.ts.
 */
import { execFileSync } from 'node:child_process';
import { realpathSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../packages/local-services/src/server.ts';
import { desk, type Desk } from '../cli/command.ts';
import { itemsTable, keepsPromises } from '../promises.ts';
import { molecules, sequences } from '../rig.ts';
import { createNamespace } from './create-namespace.ts';
import { UNPRIVILEGED } from './postgres.ts';
import { startCluster, type Cluster } from './temporal-on-postgres.ts';
import { clusterTools, type ClusterTools } from './tools.ts';

const tools = clusterTools();
const missing = typeof tools === 'string' ? tools : null;

const LIMITS = { limit: 4, windowMs: 5_000 };
const SEQUENCES = 16;
const MOLECULES = 10;

/** As in docs/cluster.md, while everything runs. */
function backUp({ dir, postgres }: Cluster, { postgres: programs }: ClusterTools): void {
  const at = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'temporal'];
  const target = join(dir, 'postgres', 'backup');
  execFileSync(
    // Only initdb and postgres may be linked to in a folder of PATH.
    join(dirname(realpathSync(join(programs, 'initdb'))), 'pg_basebackup'),
    [...at, '--pgdata', target, '--wal-method=stream', '--checkpoint=fast'],
    { ...UNPRIVILEGED, cwd: join(dir, 'postgres') },
  );
}

/** The database and the server are gone; the backup replaces them. */
async function restore(cluster: Cluster): Promise<void> {
  cluster.server.kill('SIGKILL');
  await cluster.postgres.stop();
  const data = (name: string): string => join(cluster.dir, 'postgres', name);
  renameSync(data('data'), data('lost'));
  renameSync(data('backup'), data('data'));
  cluster.postgres = await cluster.postgres.restart();
  await cluster.restartServer();
}

async function ended(at: Desk, items: number): Promise<void> {
  await expect
    .poll(() => at.done('night'), { timeout: 60_000, interval: 200 })
    .toBeGreaterThan(items);
}

describe.skipIf(missing !== null)(`an older database${missing ? ` (${missing})` : ''}`, () => {
  test('loses no item and submits no job twice', async () => {
    const cluster = await startCluster({ tools: tools as ClusterTools });
    onTestFinished(() => cluster[Symbol.asyncDispose]());
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
      `temporal: { address: "${cluster.address}", namespace: lab }
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
    createNamespace({ address: cluster.address, namespace: 'lab' });
    const first = at.type(['worker'], env);
    await at.runs(0, ['run', 'night.jsonl', '--detach'], env);
    await ended(at, 5);
    backUp(cluster, tools as ClusterTools);
    await ended(at, at.done('night') + 8);
    first.kill('SIGTERM');
    await first.endsWith(0);
    await restore(cluster);

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
});
