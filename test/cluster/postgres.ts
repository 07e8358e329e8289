/** A separate PostgreSQL in a separate folder, as an unprivileged user: initdb refuses root. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../src/temporal/machine.ts';
import type { Place } from './hosts/network.ts';
import type { ClusterTools } from './tools.ts';

export interface Postgres {
  readonly port: number;
  readonly process: ChildProcess;
  /** Restarts it on its data, after it was killed. */
  restart(): Promise<Postgres>;
  stop(): Promise<void>;
}

interface PostgresOptions {
  readonly tools: Pick<ClusterTools, 'postgres'>;
  readonly dir: string;
  readonly port?: number;
  /** Commits reach the disk before they are answered. Off: faster; they survive a kill -9, but no power cut. */
  readonly durable?: boolean;
  /** Its host, at 127.0.0.1 there; default: here. */
  readonly at?: Place;
}

/** `nobody`, which every Linux has; as ourselves if we are not root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { tools, dir } = options;
  const data = join(dir, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  if (UNPRIVILEGED.uid !== undefined) chownSync(data, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  execFileSync(
    join(tools.postgres, 'initdb'),
    ['-D', join(data, 'data'), '-U', 'temporal', '--auth=trust', '--no-sync', '-E', 'UTF8'],
    { ...UNPRIVILEGED, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return run(options, data, options.port ?? (await freePort()));
}

async function run(options: PostgresOptions, data: string, port: number): Promise<Postgres> {
  const { tools, dir, durable = false, at } = options;
  const logFile = join(dir, 'postgres.log');
  const log = openSync(logFile, 'a');
  const from = fstatSync(log).size;
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: data,
    max_connections: '200',
    // As docs/cluster.md advises: a tenth less WAL.
    wal_compression: 'lz4',
    ...(durable ? {} : { fsync: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const [program = '', ...words] = [
    ...(at?.enterUnprivileged ?? []),
    ...[join(tools.postgres, 'postgres'), '-D', join(data, 'data'), '-p', String(port)],
    ...flags,
  ];
  // Entering a host requires root, which then changes the user.
  const user = at ? {} : UNPRIVILEGED;
  const child = spawn(program, words, { ...user, cwd: data, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ready(logFile, from, child);
  return {
    port,
    process: child,
    async restart() {
      child.kill('SIGKILL');
      await ended;
      return run(options, data, port);
    },
    async stop() {
      // SIGINT: the fast shutdown, which waits for no client.
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** It listens before it answers: the log shows when it does. */
async function ready(log: string, from: number, child: ChildProcess): Promise<void> {
  const end = Date.now() + 30_000;
  while (Date.now() < end && child.exitCode === null) {
    if (readFileSync(log).subarray(from).includes('ready to accept connections')) return;
    await delay(50);
  }
  child.kill('SIGKILL');
  throw new Error(`PostgreSQL did not start: see ${log}`);
}
