/**
 * A session is a command's access to Temporal: a remote server from the configuration, the embedded server of a running
 * host, or one for which this command becomes the host. When the host it joined ends, it takes over: all open campaigns
 * continue.
 */
import { listServiceSettings } from '../../config/services.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { TemporalSettings } from '../../config/network.ts';
import { isSameReference } from '../../domain/campaign.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { Deadline } from '../../domain/process.ts';
import { openStateFolder } from '../../state.ts';
import { configureSignal } from '../../workflows/messages.ts';
import { buildBudgetWorkflowId, DEFAULT_TASK_QUEUE, ROLES } from '../../workflows/names.ts';
import {
  connectClient,
  waitInTime,
  toTemporalAddress,
  type TemporalAddress,
} from '../connection.ts';
import { chooseBuild } from '../bundle.ts';
import { isTemporalAway } from '../grpc-status.ts';
import { registerSearchAttributes } from '../namespace.ts';
import { isAlive } from '../machine.ts';
import type { StoppableWorker } from '../../worker.ts';
import type { Host, HostOptions } from './host.ts';
import { createLocalSettings } from './local.ts';
import { type HostRecord, readRecord, tryLock } from './folder.ts';

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

export async function openSession(options: HostOptions): Promise<Session> {
  const { temporal } = options.settings;
  return temporal ? openRemote(temporal, options) : EmbeddedSession.open(options);
}

async function openRemote(temporal: TemporalSettings, options: HostOptions): Promise<Session> {
  const { settings, answerTimeoutMs } = options;
  const target = toTemporalAddress(temporal, settings.codec);
  const client = await connectClient(target);
  const opened = startRemote(client, target, options);
  // A command that must answer within seconds does not wait for a server that does not respond.
  return answerTimeoutMs === undefined ? opened : waitInTime(opened, answerTimeoutMs);
}

/**
 * A worker that works there now may end at any time. So a command that needs work done starts a worker; what a command
 * reads, no worker answers. A command that lacks a token leaves the work to others: its worker would take jobs from the
 * queue that it cannot do.
 */
async function startRemote(
  client: Client,
  target: TemporalAddress,
  { settings, environment, lookOnly = false, ownWorker = true }: HostOptions,
): Promise<Session> {
  await registerSearchAttributes(client);
  const { deployment, notify, unready } = settings;
  // `doctor` reports a server without deployments.
  const build = deployment === null ? null : await chooseBuild(client, deployment);
  const taskQueue = settings.taskQueue ?? DEFAULT_TASK_QUEUE;
  const stateFolder = openStateFolder(environment);
  const services = listServiceSettings(settings);
  const works = ownWorker && !lookOnly && services.length > 0 && unready.length === 0;
  let worker: StoppableWorker | null = null;
  if (works) {
    // Loaded only if there is work for it: half of the start-up time of a command that only reads.
    const { startLastingWorker } = await import('../../worker.ts');
    worker = await startLastingWorker({
      temporal: target,
      client,
      taskQueue,
      services,
      notify,
      stateFolder,
      roles: ROLES,
      ...(build !== null && { build }),
    });
  }
  return {
    role: 'remote',
    ui: null,
    client,
    taskQueue,
    stateFolder,
    async recover() {
      // The connection reconnects by itself; the remote server is not ours to restart.
      await delay(1_000);
    },
    async close() {
      await worker?.stop();
      await client.connection.close();
    },
  };
}

const POLL_INTERVAL_MS = 200;
const HOST_START_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** With the embedded server: this command becomes the host if there is none, and joins the running one otherwise. */
class EmbeddedSession implements Session {
  readonly #options: HostOptions;
  #host: Host | null = null;
  /** Another process is the host. */
  #joined: { record: HostRecord; client: Client } | null = null;

  private constructor(options: HostOptions) {
    this.#options = options;
  }

  static async open(options: HostOptions): Promise<EmbeddedSession> {
    const session = new EmbeddedSession(options);
    await session.#enter();
    return session;
  }

  get role(): 'host' | 'joined' {
    return this.#host ? 'host' : 'joined';
  }

  get isAbandoned(): boolean {
    return this.#joined !== null && !isAlive(this.#joined.record.pid);
  }

  get client(): Client {
    return this.#current().client;
  }

  get taskQueue(): string {
    return this.#current().record.taskQueue;
  }

  get ui(): string | null {
    return this.#current().record.server.ui;
  }

  get embeddedDir(): string {
    return this.#options.settings.embeddedDir;
  }

  get stateFolder(): string {
    return openStateFolder(this.#options.environment);
  }

  async recover(): Promise<void> {
    if (this.#host) return this.#host.revive();
    await this.#joined?.client.connection.close();
    this.#joined = null;
    await this.#enter();
  }

  /** May be called twice. It does not stop what another process has taken over meanwhile. */
  async close(): Promise<void> {
    const host = this.#host;
    const joined = this.#joined;
    this.#host = null;
    this.#joined = null;
    await host?.stop();
    await joined?.client.connection.close();
  }

  #current(): { record: HostRecord; client: Client } {
    const current = this.#host ?? this.#joined;
    if (!current) throw new Error('the session has no host: it is being replaced');
    return current;
  }

  /** Becomes the host if there is none, joins it otherwise. Waits for a host that is still starting. */
  async #enter(): Promise<void> {
    const { settings, answerTimeoutMs = HOST_START_TIMEOUT_MS } = this.#options;
    const { embeddedDir } = settings;
    const deadline = new Deadline(answerTimeoutMs);
    while (!deadline.hasPassed) {
      const lock = tryLock(embeddedDir);
      if (lock) {
        // Loaded here: a command that joins a host starts in half the time without the worker and the services.
        const { startHost } = await import('./host.ts');
        this.#host = await startHost(lock, this.#options);
        return;
      }
      const record = readRecord(embeddedDir, 'host');
      if (record && (await this.#join(record))) return;
      await delay(POLL_INTERVAL_MS);
    }
    throw new HundredfoldError(
      'HOST_NOT_READY',
      `another command holds ${embeddedDir} and does not become ready`,
      'It may still be starting: try again in a moment. Otherwise, find the hundredfold process that hangs and end it; campaigns lose nothing.',
    );
  }

  async #join(record: HostRecord): Promise<boolean> {
    // A record left by a killed host: its successor is about to write its own.
    if (!isAlive(record.pid)) return false;
    // A command like `status` runs the server only briefly and does no work: do not join it.
    if (record.lookOnly && !record.lasting) return false;
    if (record.lookOnly && !this.#options.lookOnly)
      throw new HundredfoldError(
        'HOST_BUSY',
        `\`hundredfold ui\` (process ${record.pid}) runs the embedded server, and no campaign makes progress with it`,
        'End it with Ctrl-C, then run this command again. `ui` can be started beside a running campaign.',
      );
    const { settings, answerTimeoutMs = HOST_START_TIMEOUT_MS } = this.#options;
    const { address } = record.server;
    const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, answerTimeoutMs);
    const where = { address, namespace: 'default', codec: settings.codec, embedded: true };
    const client = await connectClient({ ...where, timeoutMs }).catch(() => null);
    if (!client) return false;
    try {
      if (!this.#options.anyHost) {
        this.#checkServices(record);
        await this.#updateLimits(client);
      }
    } catch (error) {
      await client.connection.close();
      // It ended just now, and its server with it: this command may become the next host.
      if (isTemporalAway(error)) return false;
      throw error;
    }
    this.#joined = { record, client };
    return true;
  }

  /** A limit that was changed while campaigns run applies from the next command on: the host has the old one. */
  async #updateLimits(client: Client): Promise<void> {
    for (const { reference, policy } of listServiceSettings(this.#options.settings)) {
      await client.workflow
        .getHandle(buildBudgetWorkflowId(reference))
        .signal(configureSignal, { policy });
    }
  }

  /** The host's worker does the work, so it must have our services, tokens and plugins. */
  #checkServices({ pid, services, plugins }: HostRecord): void {
    const { settings, localServices } = this.#options;
    const other = settings.plugins.find(({ digest }) => !plugins.includes(digest));
    const local = localServices ? createLocalSettings(localServices) : [];
    const missing = [...listServiceSettings(settings), ...local].find(
      ({ reference }) => !services.some((one) => isSameReference(one, reference)),
    )?.reference;
    const what = other
      ? `the plugin ${other.entry}, or has another form of it`
      : missing && `${missing.service} at ${missing.address} (or your token there)`;
    if (what !== undefined)
      throw new HundredfoldError(
        'HOST_BUSY',
        `the command that runs the embedded server (process ${pid}) does not know ${what}`,
        'Wait until it has ended, or use a separate server for this campaign: HUNDREDFOLD_EMBEDDED_DIR=.hundredfold-2.',
      );
  }
}
