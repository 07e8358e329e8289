/**
 * Credentials that change while a process lives: certificates and API keys are replaced in their files, manually or by
 * a program such as cert-manager. An API key is set on the existing connection; new certificates need a new connection,
 * because the SDK reads them once. Calls on the old one are given time to end.
 *
 * Rejected: the certificate providers of grpc-js, which are experimental and which workers do not have.
 */
import type { Connection, ConnectionLike, Metadata } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { Periodic } from '../domain/periodic.ts';
import type { TlsMaterial } from '../config/pem.ts';
import { warn } from '../state/warn.ts';

/** Credentials for the server. */
export interface Credentials {
  readonly apiKey?: string;
  readonly tls?: TlsMaterial;
}

/** Files are read this often (ms). Unlike a file watcher, this also notices a replaced link (Kubernetes). */
const READ_EVERY_MS = 10_000;
/** Slightly longer than the longest poll of the SDK. */
const CLOSE_AFTER_MS = 90_000;

/** Where and how often credentials are read. */
interface Reread {
  readonly reread: () => Credentials;
  /** Default: `READ_EVERY_MS`. */
  readonly rereadEveryMs?: number | undefined;
}

interface Change {
  readonly credentials: Credentials;
  readonly apiKey: boolean;
  readonly tls: boolean;
}

/** Reads the credentials periodically, and delivers changes until they were applied. */
class CredentialWatch {
  readonly #reread: () => Credentials;
  readonly #take: (change: Change) => Promise<void>;
  readonly #reads: Periodic;
  #taken: Credentials;

  constructor(
    { reread, rereadEveryMs = READ_EVERY_MS }: Reread,
    take: (change: Change) => Promise<void>,
  ) {
    this.#reread = reread;
    this.#take = take;
    this.#taken = reread();
    this.#reads = new Periodic({
      everyMs: rereadEveryMs,
      work: () => this.#look(),
      // Only half of a pair is written, or the server does not accept the new ones yet: the old ones remain in use.
      onError: (error) => {
        const why = error instanceof Error ? error.message : String(error);
        warn(`new credentials for Temporal are not used yet: ${why}`);
      },
    });
    this.#reads.start();
  }

  end(): void {
    void this.#reads.stop();
  }

  async #look(): Promise<void> {
    const credentials = this.#reread();
    const apiKey = credentials.apiKey !== this.#taken.apiKey;
    const tls = JSON.stringify(credentials.tls) !== JSON.stringify(this.#taken.tls);
    if (!apiKey && !tls) return;
    await this.#take({ credentials, apiKey, tls });
    this.#taken = credentials;
  }
}

interface Renewal extends Reread {
  readonly open: (credentials: Credentials) => Promise<Connection>;
}

/** A client's connection that is replaced when its credentials change. */
export class RenewedConnection implements ConnectionLike {
  #current: Connection;
  readonly #open: Renewal['open'];
  readonly #watch: CredentialWatch;
  readonly #former = new Map<Connection, NodeJS.Timeout>();

  constructor(first: Connection, { open, ...reading }: Renewal) {
    this.#current = first;
    this.#open = open;
    this.#watch = new CredentialWatch(reading, (change) => this.#renew(change));
  }

  get workflowService(): Connection['workflowService'] {
    return this.#current.workflowService;
  }

  get operatorService(): Connection['operatorService'] {
    return this.#current.operatorService;
  }

  get plugins(): Connection['plugins'] {
    return this.#current.plugins;
  }

  get options(): Connection['options'] {
    return this.#current.options;
  }

  ensureConnected(): Promise<void> {
    return this.#current.ensureConnected();
  }

  withDeadline<R>(deadline: number | Date, call: () => Promise<R>): Promise<R> {
    return this.#current.withDeadline(deadline, call);
  }

  withMetadata<R>(metadata: Metadata, call: () => Promise<R>): Promise<R> {
    return this.#current.withMetadata(metadata, call);
  }

  withAbortSignal<R>(signal: AbortSignal, call: () => Promise<R>): Promise<R> {
    return this.#current.withAbortSignal(signal, call);
  }

  async close(): Promise<void> {
    this.#watch.end();
    for (const [connection, timer] of this.#former) {
      clearTimeout(timer);
      await connection.close();
    }
    this.#former.clear();
    await this.#current.close();
  }

  async #renew({ credentials, tls }: Change): Promise<void> {
    if (!tls && credentials.apiKey !== undefined) {
      this.#current.setApiKey(credentials.apiKey);
      return;
    }
    const former = this.#current;
    this.#current = await this.#open(credentials);
    const close = (): void => {
      this.#former.delete(former);
      void former.close();
    };
    this.#former.set(former, setTimeout(close, CLOSE_AFTER_MS).unref());
  }
}

interface WorkerAccess {
  /** Closes the connection; the workers must have stopped. */
  close(): Promise<void>;
}

/**
 * Keeps the connection of workers usable while the files of its credentials change.
 * @param connection the one that the workers were created with
 * @param reread null or undefined: nothing changes
 */
export function keepWorkersConnected(
  connection: NativeConnection,
  workers: readonly Worker[],
  {
    reread,
    rereadEveryMs,
    open,
  }: {
    readonly reread: Reread['reread'] | undefined;
    readonly rereadEveryMs?: Reread['rereadEveryMs'];
    readonly open: (credentials: Credentials) => Promise<NativeConnection>;
  },
): WorkerAccess {
  let current = connection;
  if (!reread) return { close: () => current.close() };
  const former = new Set<NativeConnection>();
  const renew = async ({ credentials, tls }: Change): Promise<void> => {
    if (!tls && credentials.apiKey !== undefined) return current.setApiKey(credentials.apiKey);
    const next = await open(credentials);
    for (const worker of workers) worker.connection = next;
    former.add(current);
    current = next;
  };
  const watch = new CredentialWatch({ reread, rereadEveryMs }, renew);
  return {
    async close() {
      watch.end();
      for (const one of [...former, current]) await one.close();
    },
  };
}
