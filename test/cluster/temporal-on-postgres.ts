/**
 * A Temporal server on PostgreSQL in a temporary folder, as a group runs it, without containers. The caller stops it.
 * Without a namespace: createNamespace makes one.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort, isListening } from '../../src/temporal/machine.ts';
import { startPostgres, type Postgres } from './postgres.ts';
import type { Place } from './hosts/network.ts';
import type { ClusterTools } from './tools.ts';

interface ClusterOptions {
  readonly tools: ClusterTools;
  readonly durable?: boolean;
  /** The host of server and database; default: here, at 127.0.0.1. */
  readonly at?: Place;
}

export interface Cluster extends AsyncDisposable {
  /** `HOST:PORT` of the frontend. */
  readonly address: string;
  readonly dir: string;
  postgres: Postgres;
  /** The server process: replaced by `restartServer`. */
  server: ChildProcess;
  /** Kills the server and restarts it. */
  restartServer(): Promise<void>;
}

const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { tools, at } = options;
  const dir = await mkdtemp(join(tmpdir(), 'hundredfold-cluster-'));
  // PostgreSQL runs as another user than root, and must reach its folder.
  await chmod(dir, 0o711);
  const postgres = await startPostgres({
    tools,
    dir,
    durable: options.durable ?? false,
    ...(at && { at }),
  });
  try {
    for (const schema of ['temporal', 'visibility']) makeSchema(options, postgres.port, schema);
    const ports = await portsFor();
    const config = join(dir, 'temporal.yaml');
    writeFileSync(config, stringify(configuration(options, dir, postgres.port, ports)));
    const start = (): Promise<ChildProcess> =>
      startServer(options, dir, config, ports.frontend.grpc);
    const cluster: Cluster = {
      address: `${hostOf(options)}:${ports.frontend.grpc}`,
      dir,
      postgres,
      server: await start(),
      async restartServer() {
        await ended(cluster.server, 'SIGKILL');
        cluster.server = await start();
      },
      async [Symbol.asyncDispose]() {
        await ended(cluster.server, 'SIGKILL');
        await cluster.postgres.stop();
        await rm(dir, { recursive: true, force: true });
      },
    };
    return cluster;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

const hostOf = ({ at }: ClusterOptions): string => at?.address ?? '127.0.0.1';

function makeSchema(options: ClusterOptions, port: number, schema: string): void {
  sqlTool(options, port, schema, 'create-database');
  sqlTool(options, port, schema, 'setup-schema', '-v', '0.0');
  updateSchema(options, port, schema);
}

export function updateSchema(options: ClusterOptions, port: number, schema: string): void {
  sqlTool(options, port, schema, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
}

function sqlTool(
  { tools, at }: ClusterOptions,
  port: number,
  schema: string,
  ...args: readonly string[]
): void {
  const database = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port)];
  const words = [tools.sqlTool, ...database, '-u', 'temporal', '--db', schema, ...args];
  const [program = '', ...rest] = [...(at?.enter ?? []), ...words];
  execFileSync(program, rest, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

type Ports = Readonly<Record<(typeof SERVICES)[number], { grpc: number; membership: number }>>;

async function portsFor(): Promise<Ports> {
  const entries = [];
  for (const service of SERVICES)
    entries.push([service, { grpc: await freePort(), membership: await freePort() }]);
  return Object.fromEntries(entries) as Ports;
}

function configuration(
  options: ClusterOptions,
  dir: string,
  postgresPort: number,
  ports: Ports,
): object {
  const host = hostOf(options);
  const dynamic = join(dir, 'dynamic.yaml');
  writeFileSync(dynamic, '{}\n');
  const frontend = `${host}:${ports.frontend.grpc}`;
  const sql = (databaseName: string): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectProtocol: 'tcp',
      connectAddr: `127.0.0.1:${postgresPort}`,
      user: 'temporal',
      password: '',
      maxConns: 20,
      maxIdleConns: 20,
      maxConnLifetime: '1h',
    },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: sql('temporal'), visibility: sql('visibility') },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: host },
    },
    services: Object.fromEntries(
      Object.entries(ports).map(([service, { grpc, membership }]) => [
        service,
        { rpc: { grpcPort: grpc, membershipPort: membership, bindOnIP: host } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: frontend,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: dynamic, pollInterval: '10s' },
  };
}

async function startServer(
  options: ClusterOptions,
  dir: string,
  config: string,
  port: number,
): Promise<ChildProcess> {
  const log = openSync(join(dir, 'temporal.log'), 'a');
  const server = [options.tools.temporalServer, '--config-file', config, '--allow-no-auth'];
  const command = [...(options.at?.enter ?? []), ...server, 'start'];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: dir,
    stdio: ['ignore', log, log],
    env: { PATH: process.env['PATH'] ?? '', HOME: dir, USER: 'temporal' },
  });
  closeSync(log);
  const end = Date.now() + 60_000;
  while (Date.now() < end && child.exitCode === null) {
    if (await isListening(port, hostOf(options))) return child;
    await delay(100);
  }
  child.kill('SIGKILL');
  throw new Error(`the Temporal server did not start: see ${join(dir, 'temporal.log')}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

/** Runs psql on the visibility database, as an administrator does; returns its output, without headings. */
export function psql({ postgres }: Pick<Cluster, 'postgres'>, words: readonly string[]): string {
  const server = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'temporal'];
  const options = ['-d', 'visibility', '-v', 'ON_ERROR_STOP=1', '-At'];
  return execFileSync('psql', [...server, ...options, ...words], { encoding: 'utf8' });
}
