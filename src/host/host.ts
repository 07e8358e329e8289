/**
 * A host holds everything that a campaign needs on one machine: the embedded Temporal server, the local services
 * if they are used, and a worker. One process in a folder is the host; others join it, and one of them takes
 * over when it goes.
 */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { everyCredential, type Environment, type Settings } from '../config/settings.ts';
import { connectClient, keepHistories } from '../temporal/connection.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import type { EmbeddedServer } from '../temporal/tree-holder.ts';
import { stateFolderOf } from './state.ts';
import { DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import type { Lock } from './lock.ts';
import { wereUsed } from './local-settings.ts';
import type { HostedServices } from './local.ts';
import { readRecord, removeRecord, writeRecord, type HostRecord } from './record.ts';
import { ServerKeeper } from './server-keeper.ts';
import { watchClock } from './watch-clock.ts';

export interface Host {
  readonly record: HostRecord;
  readonly client: Client;
  /** Starts the server anew, on its old port, when it has died: worker and clients find it there again. */
  revive(): Promise<void>;
  /** In order: worker, server, services. */
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly localServices: boolean;
  /** For commands that submit nothing: any host that runs will do, whatever services it knows. */
  readonly anyHost?: boolean;
  /** A worker that answers questions about campaigns and does nothing for them. */
  readonly lookOnly?: boolean;
  /** With `lookOnly`: the host stays until it is interrupted, so that other commands that look may join it. */
  readonly lasting?: boolean;
  /** How long a host that holds the folder may take to answer, in ms; a minute when it is left out. */
  readonly patienceMs?: number;
  /** Of a Temporal configured elsewhere: false leaves all work to the workers there. */
  readonly ownWorker?: boolean;
}

function everyService(settings: Settings, local: HostedServices | null) {
  return [...everyCredential(Object.values(settings.services)), ...(local?.settings ?? [])];
}

type Stop = () => Promise<void> | void;

interface Start {
  readonly dir: string;
  /** Whether the local services are. */
  readonly wanted: boolean;
  /** Gets what ends the parts, in the order of their start. */
  readonly stops: Stop[];
}

/**
 * The server, the local services and the code of the worker, all at once: the server takes a second to start, and loading
 * what works with it half a second.
 */
async function startParts(keeper: ServerKeeper, { dir, wanted, stops }: Start) {
  // Before the server starts: a step between the two would go unnoticed, and the server stand still.
  const clock = watchClock(dir);
  const beginning = keeper.begin();
  const starting = wanted ? startServices(dir) : Promise.resolve(null);
  const loading = import('./lasting-worker.ts');
  const localOrNull = starting.catch(() => null);
  stops.push(
    async () => (await localOrNull)?.services.close(),
    () => clock.end(),
    async () => {
      await beginning.catch(() => undefined);
      await keeper.end();
    },
  );
  const [server, local, worker] = await Promise.all([beginning, starting, loading]);
  return { server, local, startLastingWorker: worker.startLastingWorker };
}

async function startServices(dir: string): Promise<HostedServices> {
  const { hostLocalServices } = await import('./local.ts');
  return hostLocalServices(dir);
}

/** Becomes the host of a folder whose lock the caller holds. */
export async function startHost(lock: Lock, options: HostOptions): Promise<Host> {
  const { settings, lookOnly = false, lasting = false } = options;
  const dir = settings.embeddedDir;
  const taskQueue = settings.taskQueue ?? ownTaskQueue(dir);
  const stops: Stop[] = [() => lock.release()];
  const stop = async () => {
    removeRecord(dir, 'host');
    for (const step of stops.splice(0).reverse()) await step();
  };
  // Of a host that was killed.
  removeRecord(dir, 'host');
  try {
    const wanted = !lookOnly && (options.localServices || wereUsed(dir));
    const keeper = new ServerKeeper(dir);
    const { server, local, startLastingWorker } = await startParts(keeper, { dir, wanted, stops });
    const services = lookOnly ? [] : everyService(settings, local);
    const temporal = { address: server.address, namespace: 'default', codec: settings.codec };
    const client = await connectClient({ ...temporal, embedded: true });
    stops.push(() => client.connection.close());
    // One after the other: should the server die here, a call that is still being retried when the other has failed,
    // and its connection was closed for that, would end the process ("Channel has been shut down").
    await registerSearchAttributes(client);
    await keepHistories(client);
    const worker = await startLastingWorker({
      temporal,
      client,
      taskQueue,
      services,
      notify: settings.notify,
      embedded: embeddedServer(dir),
      stateFolder: stateFolderOf(options),
      workflowsOnly: lookOnly,
    });
    stops.push(() => worker.stop());
    const references = services.map(({ reference }) => reference);
    const record = {
      pid: process.pid,
      taskQueue,
      server,
      services: references,
      lookOnly,
      lasting,
    };
    writeRecord(dir, 'host', record);
    return { record, client, revive: () => keeper.revive(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A task queue of the folder's own. Should its server die and the server of another folder take its port, our worker
 * finds no work there: it must not run another folder's campaigns with the services of this one.
 */
function ownTaskQueue(dir: string): string {
  const known = readRecord(dir, 'identity');
  if (known) return known.taskQueue;
  const taskQueue = `${DEFAULT_TASK_QUEUE}-${randomBytes(4).toString('hex')}`;
  writeRecord(dir, 'identity', { taskQueue });
  return taskQueue;
}

/** The server of the host that holds the folder. */
export function embeddedServer(dir: string): EmbeddedServer {
  return { dir: resolve(dir), pid: () => readRecord(dir, 'server')?.pid ?? null };
}
