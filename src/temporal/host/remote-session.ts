/** A session with a configured server, and with a worker of its own if the command needs work done there. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ServiceSettings } from '../../config/services.ts';
import type { TemporalSettings } from '../../config/temporal.ts';
import {
  connectClient,
  waitInTime,
  toTemporalAddress,
  type TemporalAddress,
} from '../connection.ts';
import { buildOn } from '../deployment.ts';
import { DEFAULT_TASK_QUEUE, ROLES } from '../../workflows/names.ts';
import { registerSearchAttributes } from '../namespace.ts';
import type { HostOptions } from './host.ts';
import type { StoppableWorker } from './lasting-worker.ts';
import type { Session } from './session.ts';
import { findStateFolder } from '../../state.ts';

export class RemoteSession implements Session {
  readonly role = 'remote';
  readonly ui = null;
  readonly client: Client;
  readonly taskQueue: string;
  readonly stateFolder: string;
  readonly #worker: StoppableWorker | null;

  private constructor(
    { client, taskQueue, stateFolder }: Pick<Session, 'client' | 'taskQueue' | 'stateFolder'>,
    worker: StoppableWorker | null,
  ) {
    this.client = client;
    this.taskQueue = taskQueue;
    this.stateFolder = stateFolder;
    this.#worker = worker;
  }

  static async open(temporal: TemporalSettings, options: HostOptions): Promise<RemoteSession> {
    const { settings, answerTimeoutMs } = options;
    const target = toTemporalAddress(temporal, settings.codec);
    const client = await connectClient(target);
    const opened = RemoteSession.#openWith(client, target, options);
    // A command that must answer within seconds does not wait for a server that does not respond.
    return answerTimeoutMs === undefined ? opened : waitInTime(opened, answerTimeoutMs);
  }

  static async #openWith(
    client: Client,
    target: TemporalAddress,
    { settings, environment, lookOnly = false, ownWorker = true }: HostOptions,
  ): Promise<RemoteSession> {
    await registerSearchAttributes(client);
    const { deployment } = settings;
    // `doctor` reports a server without deployments.
    const build = deployment === null ? null : await buildOn(client, deployment);
    const taskQueue = settings.taskQueue ?? DEFAULT_TASK_QUEUE;
    const services: ServiceSettings[] = lookOnly ? [] : Object.values(settings.services);
    // A worker that works there now may end at any time. So a command that needs work done starts a worker; what a command
    // reads, no worker answers. A command that lacks a token leaves the work to others: its worker would take jobs from the
    // queue that it cannot do.
    const needed = services.length > 0 && settings.unready.length === 0;
    const stateFolder = findStateFolder({ settings, environment });
    const at = { client, taskQueue, stateFolder };
    if (!needed || !ownWorker) return new RemoteSession(at, null);
    // Loaded only if there is work for it: half of the start-up time of a command that only reads.
    const { startLastingWorker } = await import('./lasting-worker.ts');
    const worker = await startLastingWorker({
      temporal: target,
      client,
      taskQueue,
      services,
      notify: settings.notify,
      environment,
      stateFolder,
      roles: ROLES,
      ...(build !== null && { build }),
    });
    return new RemoteSession(at, worker);
  }

  async recover(): Promise<void> {
    // The connection reconnects by itself; the remote server is not ours to restart.
    await delay(1_000);
  }

  async close(): Promise<void> {
    await this.#worker?.stop();
    await this.client.connection.close();
  }
}
