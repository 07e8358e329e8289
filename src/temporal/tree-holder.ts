/** Identity of this process for others that want to work on the same output tree (src/store/lease.ts). */
import { execFileSync } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { Connection, type Client } from '@temporalio/client';
import type { LeaseHolder, LeaseRecord } from '../store/lease.ts';
import { isAlive } from './processes.ts';

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
  return { host: hostname(), boot: readBootOnce(), pid: process.pid, renewer: randomUUID() };
}

/**
 * Whether the processes of an embedded server and of its renewer have ended. This can only be known of processes in our
 * own environment: the same machine, the same boot, the same process ids.
 */
export function isGone({ host, boot, pid, server }: LeaseRecord): boolean {
  const here = host === hostname() && boot !== null && boot === readBootOnce();
  return here && server !== null && !isAlive(pid) && !isAlive(server);
}

let boot: string | null | undefined;

/** Id of this boot, and on Linux of the container: process ids are only valid within it. */
function readBootOnce(): string | null {
  boot ??= readBoot(process.platform);
  return boot;
}

function readBoot(platform: NodeJS.Platform): string | null {
  try {
    if (platform === 'linux') {
      const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${id} ${readlinkSync('/proc/self/ns/pid')}`;
    }
    if (platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    // Not reported: expiry is detected by watching the lease.
  }
  return null;
}
