/** The servers that peers need: each run gets a new one with an empty database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requireTemporalCli } from '../../test/shared-cli.ts';
import { startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';
import { freePort, isListening } from '../../src/temporal/machine.ts';
import { startPostgres } from '../../test/cluster/postgres.ts';

export interface Server {
  readonly pid: number;
  /** How the program finds it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Commits reach the disk before they are answered, as in production. */
export async function servePostgres(folder: string, programs: string): Promise<Server> {
  // It runs as another user, who needs access.
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({
    tools: { postgres: programs },
    dir: folder,
    durable: true,
  });
  return {
    pid: postgres.process.pid ?? 0,
    environment: { DATABASE_URL: `postgresql://temporal@127.0.0.1:${postgres.port}/peers` },
    stop: () => postgres.stop(),
  };
}

/** With the append-only file and the policy that BullMQ's documentation recommends for production. */
export async function serveRedis(folder: string, redis: string): Promise<Server> {
  const port = await freePort();
  const data = join(folder, 'redis');
  mkdirSync(data);
  const settings = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--dir', data];
  const child = spawn(redis, ['--port', String(port), '--bind', '127.0.0.1', ...settings], {
    stdio: 'ignore',
  });
  while (!(await isListening(port))) await delay(50);
  return {
    pid: child.pid ?? 0,
    environment: { REDIS_URL: `redis://127.0.0.1:${port}` },
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

export async function serveTemporal(folder: string): Promise<Server> {
  const dir = join(folder, 'temporal');
  // Not the default port of embedded servers.
  const port = await freePort();
  const server = await startDevServer({ executable: requireTemporalCli(), dir, port });
  return {
    pid: server.pid,
    environment: { TEMPORAL_ADDRESS: server.address },
    stop: () => stopDevServer(server),
  };
}
