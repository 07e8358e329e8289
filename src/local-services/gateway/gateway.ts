/** The gateway as the server of the local services starts it: proxy, personality and journal together. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import { HundredfoldError } from '../../domain/errors.ts';
import { withoutPrefix } from '../behind-proxy.ts';
import { MOLECULES } from '../mounts.ts';
import { GatewayJournal, type GatewayEntry } from './journal.ts';
import type { GatewayName, GatewayRule } from './personalities.ts';
import { gatewayServer } from './proxy.ts';
import { Trouble } from './trouble.ts';

export interface GatewayContext {
  readonly database: DatabaseSync;
  /** ms since the epoch. */
  readonly now: () => number;
  /** When a job was accepted; null for an unknown id. */
  readonly acceptedAt: (job: string) => number | null;
  /** Paths that are relayed in any case. */
  readonly control: readonly string[];
  /** Path in front of both services; '' for none. */
  readonly basePath: string;
  /** Whether what a client says in X-Forwarded headers is passed on. */
  readonly trustProxy: boolean;
}

export class Gateway {
  readonly server: Server;
  readonly trouble: Trouble;
  readonly #journal: GatewayJournal;
  #servicesPort = 0;

  /** @param rule in force from now on; null: it relays everything */
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

  /** @param servicesPort where the services listen, on 127.0.0.1 */
  async listen(host: string, port: number, servicesPort: number): Promise<void> {
    this.#servicesPort = servicesPort;
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  /** Every request that it answered itself. */
  entries(): GatewayEntry[] {
    return this.#journal.entries();
  }

  /** Lets answers under way end. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    await closed;
  }
}

/** What tests control the gateway by. Each throws `LOCAL_SERVICES_OPTION` where there is none. */
export interface GatewayHandle {
  /** A personality, from now on; its trouble may begin later and end by itself. */
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
    throw new HundredfoldError({
      code: 'LOCAL_SERVICES_OPTION',
      message: 'The local services were started without a gateway.',
      remedy: 'Start them with the option gateway; null is a gateway that relays everything.',
    });
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
