/**
 * A session is a command's access to Temporal: a remote server from the configuration, the embedded server of a running
 * host, or one for which this command becomes the host. When the host it joined ends, it takes over: all open campaigns
 * continue.
 */
import type { Client } from '@temporalio/client';

export interface Session {
  /** `host`: this process runs server and worker; `joined`: another does; `remote`: a server configured elsewhere. */
  readonly role: 'host' | 'joined' | 'remote';
  readonly client: Client;
  readonly taskQueue: string;
  /** The Temporal UI; null when unknown. */
  readonly ui: string | null;
  /** The folder of the embedded server; absent with a server elsewhere. */
  readonly embeddedDir?: string;
  /** The host that was joined has ended: nobody works here, although its server may still answer. */
  readonly isAbandoned?: boolean;
  /** The state folder, with the ledger of this machine. */
  readonly stateFolder: string;
  /** After a failed call, or when abandoned: returns when Temporal can be used again, taking over from a host that has ended. */
  recover(): Promise<void>;
  close(): Promise<void>;
}
