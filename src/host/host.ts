/**
 * A host holds everything that a campaign needs on one machine: the embedded Temporal server, the local services
 * if they are used, and a worker. One process in a folder is the host; others join it, and one of them takes
 * over when it goes.
 */
import type { Client } from '@temporalio/client';
import type { Environment, ServiceSettings, Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { findTemporalCli } from '../../scripts/temporal-cli.js';
import {
  connectClient,
  keepHistories,
  registerSearchAttributes,
  type TemporalAddress,
} from '../temporal/connection.ts';
import { isAlive, isRunning, startDevServer, stopDevServer } from '../temporal/dev-server.ts';
import { startWorker, type RunningWorker } from '../worker.ts';
import { DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import type { Lock } from './lock.ts';
import { hostLocalServices, wereUsed, type HostedServices } from './local.ts';
import {
  readRecord,
  removeRecord,
  writeRecord,
  type HostRecord,
  type ServerRecord,
} from './record.ts';

export interface Host {
  readonly record: HostRecord;
  readonly client: Client;
  readonly worker: RunningWorker;
  /** In order: worker, services, server. */
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly localServices: boolean;
  /** For commands that submit nothing: any host that runs will do, whatever services it knows. */
  readonly anyHost?: boolean;
}

/** Becomes the host of a folder whose lock the caller holds. */
export async function startHost(lock: Lock, options: HostOptions): Promise<Host> {
  const { settings, environment } = options;
  const dir = settings.embeddedDir;
  const taskQueue = settings.taskQueue ?? DEFAULT_TASK_QUEUE;
  const stops: (() => Promise<void> | void)[] = [() => lock.release()];
  const stop = async () => {
    removeRecord(dir, 'host');
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    const wanted = options.localServices || wereUsed(dir);
    const [server, local] = await Promise.all([
      ownServer(dir),
      wanted ? hostLocalServices(dir, environment) : null,
    ]);
    stops.push(
      () => endServer(dir, server),
      () => endServices(local),
    );
    const services = [...Object.values(settings.services), ...(local?.settings ?? [])];
    const temporal = { address: server.address, namespace: 'default' };
    const client = await connectClient(temporal);
    stops.push(() => client.connection.close());
    await Promise.all([registerSearchAttributes(client), keepHistories(client)]);
    const worker = await startWorker({ temporal, client, taskQueue, services });
    stops.push(() => worker.stop());
    const record = { pid: process.pid, taskQueue, server, services: services.map(referenceOf) };
    writeRecord(dir, 'host', record);
    return { record, client, worker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How to reach the Temporal of a host. */
export function temporalOf(record: HostRecord): TemporalAddress {
  return { address: record.server.address, namespace: 'default' };
}

function referenceOf({ reference }: ServiceSettings): ServiceSettings['reference'] {
  return reference;
}

/** The server that a killed host left behind, or a new one on the same database. */
async function ownServer(dir: string): Promise<ServerRecord> {
  const left = readRecord(dir, 'server');
  if (left && (await isRunning(left))) return left;
  if (left && isAlive(left.pid)) await stopDevServer(left);
  const cli = findTemporalCli();
  if (!cli) {
    throw new HundredfoldError({
      code: 'TEMPORAL_CLI_MISSING',
      message: 'the Temporal CLI, which carries the embedded server, is not installed',
      remedy: 'Run `npm run setup`, or point TEMPORAL_CLI at a copy of it.',
    });
  }
  const port = left ? { port: portOf(left.address) } : {};
  const uiPort = left?.ui ? { uiPort: portOf(new URL(left.ui).host) } : {};
  // Recorded before it is healthy: if we are killed right here, the next host still finds it.
  return startDevServer({ executable: cli.path, dir, ...port, ...uiPort }, (server) =>
    writeRecord(dir, 'server', server),
  );
}

async function endServer(dir: string, server: ServerRecord): Promise<void> {
  await stopDevServer(server);
  // The record stays, for its ports: links to the UI keep working after the next start.
  writeRecord(dir, 'server', { ...server, pid: 0 });
}

async function endServices(local: HostedServices | null): Promise<void> {
  await local?.services.close();
}

function portOf(host: string): number {
  return Number(host.split(':')[1]);
}
