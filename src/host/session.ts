/**
 * A session is a command's access to Temporal: a remote server from the configuration, the embedded server of a running
 * host, or one for which this command becomes the host. When the host it joined ends, it takes over: all open campaigns
 * continue.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { everyCredential, type ServiceSettings } from '../config/services.ts';
import type { TemporalSettings } from '../config/temporal.ts';
import { isSameReference, type ServiceReference } from '../domain/campaign.ts';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { connectClient, type TemporalAddress } from '../temporal/connection.ts';
import { isTemporalAway } from '../temporal/away.ts';
import { inTime } from '../temporal/in-time.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { buildOn } from '../temporal/deployment.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { ROLES } from '../temporal/roles.ts';
import { isAlive } from '../temporal/processes.ts';
import { configureSignal } from '../workflows/messages.ts';
import { budgetWorkflowId, DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import type { RunningWorker, WorkerOptions } from '../worker.ts';
import type { Host, HostOptions } from './host.ts';
import { localSettings } from './local-settings.ts';
import { tryLock } from './lock.ts';
import { checkOpenFiles } from './open-files.ts';
import { readRecord, type HostRecord } from './record.ts';
import { stateFolderOf } from './state.ts';
import { temporalAddress } from './temporal-address.ts';
import { Deadline } from '../domain/deadline.ts';

export interface Session {
  /** `host`: this process runs server and worker; `joined`: another does; `remote`: a server configured elsewhere. */
  readonly role: 'host' | 'joined' | 'remote';
  readonly client: Client;
  readonly taskQueue: string;
  /** The Temporal UI; null when unknown. */
  readonly ui: string | null;
  /** The folder of the embedded server; absent with a server elsewhere. */
  readonly embeddedDir?: string;
  /** After a failed call: returns when Temporal can be used again, taking over from a host that has ended. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

const LOOK_AGAIN_MS = 200;
const HOST_START_TIMEOUT_MS = 60_000;
const CONNECT_MS = 10_000;

export async function openSession(options: HostOptions): Promise<Session> {
  const { temporal } = options.settings;
  if (!options.lookOnly) checkOpenFiles();
  return temporal ? RemoteSession.open(temporal, options) : EmbeddedSession.open(options);
}

class EmbeddedSession implements Session {
  readonly #options: HostOptions;
  #host: Host | null = null;
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
    const { settings, patienceMs = HOST_START_TIMEOUT_MS } = this.#options;
    const { embeddedDir } = settings;
    const deadline = new Deadline(patienceMs);
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
      await delay(LOOK_AGAIN_MS);
    }
    throw codedError('HOST_NOT_READY', { case: 'other command', folder: embeddedDir });
  }

  async #join(record: HostRecord): Promise<boolean> {
    // A record left by a killed host: its successor is about to write its own.
    if (!isAlive(record.pid)) return false;
    // A command like `status` runs the server only briefly and does no work: do not join it.
    if (record.lookOnly && !record.lasting) return false;
    if (record.lookOnly && !this.#options.lookOnly) throw onlyLooks(record);
    const { patienceMs = HOST_START_TIMEOUT_MS } = this.#options;
    const timeoutMs = Math.min(CONNECT_MS, patienceMs);
    const { codec } = this.#options.settings;
    const target = { ...temporalOf(record), codec, embedded: true, timeoutMs };
    const client = await connectClient(target).catch(() => null);
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
    const services = everyCredential(Object.values(this.#options.settings.services));
    for (const { reference, limit, addressLimit, maxUnfinished } of services) {
      await client.workflow.getHandle(budgetWorkflowId(reference)).signal(configureSignal, {
        credential: reference.credential,
        credentialLimit: limit,
        addressLimit,
        maxUnfinished,
      });
    }
  }

  /** The host's worker does the work, so it must have our services and tokens. */
  #checkServices(record: HostRecord): void {
    const { settings, localServices } = this.#options;
    const wanted = [
      ...everyCredential(Object.values(settings.services)),
      ...(localServices ? localSettings() : []),
    ];
    const missing = wanted.map((s) => s.reference).find((reference) => !knows(record, reference));
    if (!missing) return;
    const what = `${missing.service} at ${missing.address} (or your token there)`;
    throw codedError('HOST_OTHER_SERVICES', { pid: record.pid, what });
  }
}

function onlyLooks({ pid }: HostRecord): HundredfoldError {
  return codedError('HOST_LOOKS_ONLY', { pid });
}

interface Connected {
  readonly client: Client;
  readonly target: TemporalAddress;
  readonly tracing: Awaited<ReturnType<typeof openTracing>>;
}

class RemoteSession implements Session {
  readonly role = 'remote';
  readonly ui = null;
  readonly client: Client;
  readonly taskQueue: string;
  readonly #stopWorker: () => Promise<void>;

  private constructor(client: Client, taskQueue: string, stopWorker: () => Promise<void>) {
    this.client = client;
    this.taskQueue = taskQueue;
    this.#stopWorker = stopWorker;
  }

  static async open(temporal: TemporalSettings, options: HostOptions): Promise<RemoteSession> {
    const { settings, environment, lookOnly = false, patienceMs } = options;
    const target = temporalAddress(temporal, settings.codec);
    // Also without a worker here: the start of a campaign is a span.
    const tracing = lookOnly ? null : await openTracing(environment);
    const client = await connectClient(target);
    const opened = RemoteSession.#openWith({ client, target, tracing }, options);
    // A command that must answer within seconds does not wait for a server that does not respond.
    return patienceMs === undefined ? opened : inTime(opened, patienceMs);
  }

  static async #openWith(
    { client, target, tracing }: Connected,
    { settings, environment, lookOnly = false, ownWorker = true }: HostOptions,
  ): Promise<RemoteSession> {
    await registerSearchAttributes(client);
    const { deployment } = settings;
    // `doctor` reports a server without deployments.
    const build = deployment === null ? null : await buildOn(client, deployment);
    const taskQueue = settings.taskQueue ?? DEFAULT_TASK_QUEUE;
    const services: ServiceSettings[] = lookOnly
      ? []
      : everyCredential(Object.values(settings.services));
    // It is unknown whether other workers are active there: the server lists pollers for minutes after they have
    // ended. So a command that needs work done starts a worker; a command that only reads does so if no poller is
    // listed at all. A command that lacks a token leaves the work to others: its worker would take jobs from the queue
    // that it cannot do.
    const able = services.length > 0 && settings.unready.length === 0;
    const needed = lookOnly ? !(await hasWorkers(client, taskQueue)) : able;
    const stateFolder = stateFolderOf({ settings, environment });
    const worker =
      needed && ownWorker
        ? await startWorkerHere({
            temporal: target,
            client,
            taskQueue,
            services,
            notify: settings.notify,
            environment,
            stateFolder,
            workflowsOnly: lookOnly,
            roles: ROLES,
            ...(build !== null && { build }),
          })
        : null;
    return new RemoteSession(client, taskQueue, async () => {
      await worker?.stop();
      await tracing?.flush();
    });
  }

  async recover(): Promise<void> {
    // The connection reconnects by itself; the remote server is not ours to restart.
    await delay(1_000);
  }

  async close(): Promise<void> {
    await this.#stopWorker();
    await this.client.connection.close();
  }
}

/** Loads the worker only if there is work for it: half of the start-up time of a command that only reads. */
async function startWorkerHere(options: WorkerOptions): Promise<Pick<RunningWorker, 'stop'>> {
  const { startLastingWorker } = await import('./lasting-worker.ts');
  return startLastingWorker(options);
}

/** How to reach the Temporal of a host. */
function temporalOf(record: HostRecord): TemporalAddress {
  return { address: record.server.address, namespace: 'default' };
}

async function hasWorkers(client: Client, taskQueue: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
  });
  return pollers.length > 0;
}

function knows({ services }: HostRecord, wanted: ServiceReference): boolean {
  return services.some((one) => isSameReference(one, wanted));
}
