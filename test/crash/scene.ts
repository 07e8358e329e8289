/**
 * A campaign on parts that can be killed one by one: workers in separate processes, the local services over real HTTP
 * with their jobs on disk, optionally a separate Temporal server. At the end, the promises are checked.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { inject } from 'vitest';
import type { Window } from '../../src/budget/policy.ts';
import { describeService, type ServiceSettings } from '../../src/config/services.ts';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import { Secret } from '../../src/config/secret.ts';
import type { CampaignProgress, JobPolicy, ServiceName } from '../../src/domain/campaign.ts';
import type { LocalServicesOptions } from '../../packages/local-services/src/options.ts';
import {
  type LocalServices,
  startLocalServices,
} from '../../packages/local-services/src/server.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { policyOf } from '../policy.ts';
import { keepsPromises } from '../promises.ts';
import { launchCampaign, writeManifest, type Started } from '../launch.ts';
import { replaysHistories } from '../replay/every-history.ts';
import { historiesOf, textsOf } from '../rig.ts';
import { freePort } from '../../src/temporal/machine.ts';
import type { Crash } from './hazards.ts';
import { WorkerProcess } from './worker-process.ts';
import type { ServicePlan } from './worker.ts';

/** Ten characters, as the molecule service requires; found nowhere else. */
const TOKEN = 'cR9secretK';

/** Short, so that a slot granted too early meets a 429 within the test; two or more windows per campaign. */
export const LIMITS = { limit: 5, windowMs: 1_500 } as const satisfies Window;

/** Only a hang lasts this long. */
const END_TIMEOUT_MS = 150_000;

export interface SceneOptions extends LocalServicesOptions {
  /** HOST:PORT of a Temporal server; default the one of the suite. */
  readonly temporal?: string;
  /** The address of the server for the workers: through a proxy. */
  readonly temporalOfWorkers?: string;
  /** Port of the services for the workers: that of a proxy. */
  readonly servicesPort?: number;
  readonly policy?: Partial<JobPolicy>;
  /** Molecules in progress at the service; default: no limit. */
  readonly maxOpen?: number;
}

export class Scene {
  readonly client: Client;
  readonly folder: string;
  readonly workers: WorkerProcess[] = [];
  /** The budget's name for the services. */
  readonly address = `crash-${randomUUID().slice(0, 8)}`;
  services: LocalServices;
  readonly #taskQueue = `crash-${randomUUID()}`;
  readonly #options: SceneOptions;
  readonly #temporal: string;
  /** Submissions to services that have been closed since. */
  readonly #earlier: JournalEntry[] = [];

  private constructor(
    client: Client,
    folder: string,
    services: LocalServices,
    options: SceneOptions,
  ) {
    this.client = client;
    this.folder = folder;
    this.services = services;
    this.#options = options;
    this.#temporal = options.temporal ?? inject('temporal');
  }

  static async open(wanted: SceneOptions = {}): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), 'hundredfold-crash-'));
    const options: SceneOptions = {
      ...LIMITS,
      engine: 'synthetic',
      jobMs: 300,
      concurrency: 0,
      retryAfterSeconds: 0,
      database: join(folder, 'services.db'),
      port: await freePort(),
      ...wanted,
    };
    const services = await startLocalServices(options);
    const temporal = options.temporal ?? inject('temporal');
    const client = await connectClient({ address: temporal, namespace: 'default' });
    return new Scene(client, folder, services, options);
  }

  /** Starts another worker process; `crash`: where it dies. */
  worker(crash: Crash | null = null): WorkerProcess {
    const worker = new WorkerProcess({
      temporal: this.#options.temporalOfWorkers ?? this.#temporal,
      taskQueue: this.#taskQueue,
      services: this.#plans(),
      crash,
      stateFolder: join(this.folder, 'state'),
    });
    this.workers.push(worker);
    return worker;
  }

  /** Starts a campaign over these rows, which are written to a manifest first. */
  async start(rows: readonly object[], name = `c-${randomUUID().slice(0, 8)}`): Promise<Started> {
    const manifest = await writeManifest(join(this.folder, 'manifests', name), rows);
    const feeds = this.#feeds();
    const usual = { deadlineMs: 60_000, lostAfterMs: 1_000, whenUnsure: 'hold' } as const;
    const policy = { ...usual, ...this.#options.policy };
    const folder = join(this.folder, 'results', name);
    const at = { client: this.client, taskQueue: this.#taskQueue };
    return launchCampaign(at, manifest, { name, folder, cache: null, feeds, policy });
  }

  #feeds(): ServiceSettings[] {
    return this.#plans().map(({ service, url, token, ...options }) =>
      describeService(service, url, { token: new Secret(token) }, options),
    );
  }

  /** Waits for the end of a campaign; shows the workers' log if it does not end. */
  async end({ handle, name }: Started): Promise<CampaignProgress> {
    const gaveUp = new AbortController();
    const late = delay(END_TIMEOUT_MS, null, { signal: gaveUp.signal }).then(() => {
      throw new Error(`${name} did not end in ${END_TIMEOUT_MS} ms. Workers:\n${this.log()}`);
    });
    late.catch(() => undefined);
    const progress = await Promise.race([handle.result(), late]);
    gaveUp.abort();
    return progress;
  }

  /** All submissions to the services, in order. */
  journal(): readonly JournalEntry[] {
    return [...this.#earlier, ...this.services.journal()];
  }

  accepted(): readonly JournalEntry[] {
    return this.journal().filter((entry) => entry.accepted);
  }

  /** Waits until the services have accepted this many jobs. */
  async untilAccepted(jobs: number): Promise<void> {
    await this.#until(`${jobs} jobs`, () => this.accepted().length >= jobs);
  }

  /** … or until this many submissions have arrived, whatever becomes of them. */
  async untilArrived(submissions: number): Promise<void> {
    await this.#until(`${submissions} submissions`, () => this.journal().length >= submissions);
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const giveUpAt = Date.now() + END_TIMEOUT_MS;
    while (!isSo()) {
      if (Date.now() > giveUpAt) throw new Error(`waited for ${what} in vain:\n${this.log()}`);
      await delay(10);
    }
  }

  /** Stops the services; with `forget`, their jobs are gone as well. */
  async stopServices({ forget = false } = {}): Promise<void> {
    await this.services.close();
    if (!forget) return;
    this.#earlier.push(...this.services.journal());
    for (const suffix of ['', '-wal', '-shm']) {
      await rm(`${String(this.#options.database)}${suffix}`, { force: true });
    }
  }

  async startServices(): Promise<void> {
    this.services = await startLocalServices(this.#options);
  }

  /** The budget workflow of the prediction service. */
  budget(): WorkflowHandle {
    const [, predictions] = this.#feeds();
    return this.client.workflow.getHandle(
      buildBudgetWorkflowId((predictions as ServiceSettings).reference),
    );
  }

  /** The six promises, over these campaigns, the only ones of the services. */
  async keepsPromises(...campaigns: readonly Started[]): Promise<void> {
    const { limit = LIMITS.limit, windowMs = LIMITS.windowMs } = this.#options;
    const { workflow } = this.client;
    const ids = [this.budget().workflowId];
    for (const { name } of campaigns)
      for await (const { workflowId } of workflow.list({ query: `Campaign="${name}"` }))
        ids.push(workflowId);
    const histories = await historiesOf(ids.map((id) => workflow.getHandle(id)));
    await keepsPromises({
      journal: this.journal(),
      windows: [{ limit, windowMs }],
      rows: campaigns.flatMap((one) => one.ids),
      trees: campaigns,
      secrets: [TOKEN],
      folders: campaigns.map(({ folder }) => folder),
      texts: { 'worker logs': this.log(), ...textsOf(histories) },
    });
    await replaysHistories(histories);
  }

  log(): string {
    return this.workers.map(({ log }, n) => `--- worker ${n}\n${log}`).join('\n');
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await worker.kill();
    await this.services.close();
    await this.client.connection.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  #plans(): ServicePlan[] {
    const { address, services } = this;
    const { limit = LIMITS.limit, windowMs = LIMITS.windowMs, servicesPort } = this.#options;
    const { moleculeLimit = 0, maxOpen } = this.#options;
    const plan = (service: ServiceName, url: string, most: number | null): ServicePlan => ({
      service,
      url: servicesPort === undefined ? url : url.replace(/:\d+/, `:${servicesPort}`),
      address,
      token: TOKEN,
      policy: {
        ...policyOf(most, windowMs),
        maxOpen: service === 'molecules' ? (maxOpen ?? null) : null,
      },
    });
    return [
      plan('molecules', services.moleculesUrl, moleculeLimit || null),
      plan('predictions', services.url, limit),
    ];
  }
}
