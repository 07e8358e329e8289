/** The gateway as started by the server of the local services: proxy, personality and journal. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import { codedError } from '../../domain/errors.ts';
import { withoutPrefix } from '../behind-proxy.ts';
import { MOLECULES } from '../mounts.ts';
import { GatewayJournal, type GatewayEntry } from './journal.ts';
import type { GatewayName, GatewayRule } from './personalities.ts';
import { gatewayServer } from './proxy.ts';
import { Trouble } from './trouble.ts';

interface GatewayContext {
  readonly database: DatabaseSync;
  /** ms since the epoch. */
  readonly now: () => number;
  /** When a job was accepted; null for an unknown id. */
  readonly acceptedAt: (job: string) => number | null;
  /** Paths that are always relayed. */
  readonly control: readonly string[];
  /** Path prefix of both services; '' for none. */
  readonly basePath: string;
  /** Whether X-Forwarded headers of a client are passed on. */
  readonly trustProxy: boolean;
}

export class Gateway {
  readonly server: Server;
  readonly trouble: Trouble;
  readonly #journal: GatewayJournal;
  #servicesPort = 0;

  /** @param rule active from now on; null: relays everything */
  constructor(rule: GatewayName | GatewayRule | null, context: GatewayContext) {
    const { now, acceptedAt, control, trustProxy, basePath, database } = context;
    this.trouble = new Trouble(now, acceptedAt);
    this.trouble.set(rule);
    this.#journal = new GatewayJournal(database);
    this.server = gatewayServer({
      trouble: this.trouble,
      journal: this.#journal,
      now,
      control,
      trustProxy,
      isMolecules: (path) => withoutPrefix(path, basePath).startsWith(MOLECULES),
      servicesPort: () => this.#servicesPort,
    });
  }

  /** @param servicesPort of the services, on 127.0.0.1 */
  async listen(host: string, port: number, servicesPort: number): Promise<void> {
    this.#servicesPort = servicesPort;
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  /** Every request that the gateway answered itself. */
  entries(): GatewayEntry[] {
    return this.#journal.entries();
  }

  /** Lets responses in progress finish. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    await closed;
  }
}

/** Controls the gateway in tests. Each method throws `LOCAL_SERVICES_OPTION` if there is no gateway. */
export interface GatewayHandle {
  /** Sets a personality from now on; its misbehaviour may begin later and may end by itself. */
  set(rule: GatewayName | GatewayRule): void;
  /** Relays everything from now on. */
  clear(): void;
  /** Every request that the gateway answered itself, in order; also after the services were closed. */
  answered(): GatewayEntry[];
}

export function gatewayHandle(
  gateway: Gateway | null,
): GatewayHandle & { readonly keepEntries: () => void } {
  let last: GatewayEntry[] | undefined;
  const present = (): Gateway => {
    if (gateway !== null) return gateway;
    throw codedError('LOCAL_SERVICES_OPTION', { case: 'no gateway' });
  };
  return {
    set: (rule) => {
      present().trouble.set(rule);
    },
    clear: () => {
      present().trouble.set(null);
    },
    answered: () => last ?? present().entries(),
    keepEntries: () => {
      last = gateway?.entries();
    },
  };
}
