/** Identity of this process for others that want to work on the same output tree (src/store/lease.ts). */
import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Connection, type Client } from '@temporalio/client';
import type { LeaseHolder, LeaseRecord } from '../store/lease.ts';
import { createSystemClock } from '../ledger/steady-clock.ts';
import { isAlive } from './machine.ts';

/** The embedded server that a Temporal client talks to. */
export interface EmbeddedServer {
  /** Folder of its database. */
  readonly dir: string;
  /** It changes when the server is restarted; null while none runs. */
  readonly pid: () => number | null;
}

/** @param embedded null if a remote Temporal is configured */
export async function createTreeHolder(
  client: Client,
  embedded: EmbeddedServer | null,
  stateFolder: string,
): Promise<LeaseHolder> {
  const { id, at } = await identifyCluster(client);
  return {
    temporal: id,
    where: embedded ? `the Temporal server of ${embedded.dir}` : at,
    ...describeProcess(),
    ledger: hash('sha256', `${hostname()} ${stateFolder}`).slice(0, 12),
    server: embedded?.pid() ?? null,
  };
}

/** The Temporal of a client, by its id and for people. */
export async function identifyCluster(
  client: Client,
): Promise<{ readonly id: string; readonly at: string }> {
  const { namespace } = client.options;
  const { connection } = client;
  const address = connection instanceof Connection ? connection.options.address : 'its address';
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id ?? '';
  const at = `Temporal at ${address}, namespace ${namespace}`;
  // If the server does not report the id, namespaces are distinguished by name.
  return { id: id === '' ? at : id, at };
}

export function describeProcess(): Pick<LeaseHolder, 'host' | 'boot' | 'pid' | 'renewer'> {
  return { host: hostname(), boot: readBoot(), pid: process.pid, renewer: randomUUID() };
}

/**
 * Whether the processes of an embedded server and of its renewer have ended. This can only be known of processes in our
 * own environment: the same machine, the same boot, the same process ids.
 */
export function isGone({ host, boot, pid, server }: LeaseRecord): boolean {
  const isHere = host === hostname() && boot === readBoot();
  return isHere && server !== null && !isAlive(pid) && !isAlive(server);
}

/** Id of this boot, and on Linux of the container: process ids are only valid within it. */
function readBoot(): string {
  return createSystemClock().now().run;
}
