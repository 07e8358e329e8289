/** Who this process is to others that want to work on the same output tree (src/store/lease.ts). */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { Connection, type Client } from '@temporalio/client';
import type { LeaseHolder, LeaseRecord } from '../store/lease.ts';
import { isAlive } from './processes.ts';
import { RenewedConnection } from './renewal.ts';

/** The embedded server that a Temporal client talks to. */
export interface EmbeddedServer {
  /** Folder of its database. */
  readonly dir: string;
  /** It changes when the server is started anew; null while none runs. */
  readonly pid: () => number | null;
}

/** @param embedded null where Temporal was configured elsewhere */
export async function treeHolder(
  client: Client,
  embedded: EmbeddedServer | null,
): Promise<LeaseHolder> {
  const { namespace } = client.options;
  const { connection } = client;
  const known = connection instanceof Connection || connection instanceof RenewedConnection;
  const address = known ? connection.options.address : 'its address';
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id ?? '';
  const at = `Temporal at ${address}, namespace ${namespace}`;
  return {
    // A server that does not tell the id tells namespaces apart by their names.
    temporal: id === '' ? at : id,
    where: embedded ? `the Temporal server of ${embedded.dir}` : at,
    ...thisProcess(),
    server: embedded?.pid() ?? null,
  };
}

export function thisProcess(): Pick<LeaseHolder, 'host' | 'boot' | 'pid' | 'renewer'> {
  return { host: hostname(), boot: thisBoot(), pid: process.pid, renewer: randomUUID() };
}

/**
 * Whether the processes of an embedded server and of the one who renewed the lease have ended. Only what ran where we
 * run can be known to be gone: the same machine, the same start of it, the same process ids.
 */
export function isGone({ host, boot, pid, server }: LeaseRecord): boolean {
  const here = host === hostname() && boot !== null && boot === thisBoot();
  return here && server !== null && !isAlive(pid) && !isAlive(server);
}

let boot: string | null | undefined;

/** This start of the machine, and on Linux the container: process ids mean something only within it. */
function thisBoot(): string | null {
  boot ??= bootOf(process.platform);
  return boot;
}

function bootOf(platform: NodeJS.Platform): string | null {
  try {
    if (platform === 'linux') {
      const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${id} ${readlinkSync('/proc/self/ns/pid')}`;
    }
    if (platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    // It does not say: the lease is watched instead.
  }
  return null;
}
