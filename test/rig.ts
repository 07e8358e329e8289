/**
 * Everything a campaign needs, for one test: the suite's Temporal server, a worker on its own task queue, the local
 * services over real HTTP, an output folder. Settings that a test omits are as in production. `close` asserts every
 * promise of all that happened.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils.js';
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { NotifySettings } from '../src/config/settings.ts';
import type { Window } from '../src/budget/policy.ts';
import { describeLane, describeService, type ServiceSettings } from '../src/config/services.ts';
import { Secret } from '../src/config/secret.ts';
import type { CampaignProgress, JobPolicy } from '../src/domain/campaign.ts';
import type { JournalEntry } from '../packages/local-services/src/journal.ts';
import { startLocalServices, type LocalServices } from '../packages/local-services/src/server.ts';
import type { LocalServicesOptions } from '../packages/local-services/src/options.ts';
import type { ResultCache } from '../src/store/deliver.ts';
import { connectClient, type TemporalAddress } from '../src/temporal/connection.ts';
import { ROLES, type Role, buildBudgetWorkflowId } from '../src/workflows/names.ts';
import { logTo } from '../src/temporal/telemetry/log.ts';
import { startWorkerWith, type Replacements, type RunningWorker } from '../src/worker.ts';
import { PROGRESS_MEMO } from '../src/workflows/messages.ts';
import { ENCRYPTED } from './namespaces.ts';
import { atMostOneJob, keepsPromises, type PromiseName } from './promises.ts';
import { replaysHistories } from './replay/every-history.ts';
import { launchCampaign, writeManifest, type Started } from './launch.ts';

export type { Started } from './launch.ts';

/** Ten characters, as the molecule service requires; found nowhere else. */
export const TOKEN = 'tK9secretZ';

/** The log of the workers of this process. */
export const workerLog: string[] = [];
logTo((line) => workerLog.push(line), 'INFO');

export interface RigOptions extends LocalServicesOptions {
  readonly policy?: Partial<JobPolicy>;
  /** The limit that the runner assumes, if it is not the service's. */
  readonly believedLimit?: number | null;
  /** That the runner has as well, and the service does not know. */
  readonly furtherWindows?: readonly Window[];
  /** Who is notified of the end of a campaign. */
  readonly notify?: NotifySettings;
  /** As on a Temporal shared by several users: workers with other tokens poll the same task queue. */
  readonly sharesQueue?: boolean;
  /** Of the worker, there; default all. */
  readonly roles?: readonly Role[];
  /** Interval of the watchdog's checks of the budgets (ms). */
  readonly watchEveryMs?: number;
  /** Encrypts payloads. */
  readonly codec?: string;
  /** Further lanes of the prediction service, with two jobs at a time each. */
  readonly lanes?: readonly LocalServicesOptions[];
}

const POLICY: JobPolicy = { deadlineMs: 60_000, whenUnsure: 'hold' };

export class Rig {
  readonly client: Client;
  readonly services: LocalServices;
  readonly folder: string;
  readonly settings: readonly ServiceSettings[];
  /** The services of further lanes. */
  readonly lanes: readonly LocalServices[];
  readonly taskQueue: string;
  /** For the campaigns that are started from now on. */
  policy: JobPolicy;
  readonly #notify: NotifySettings | null;
  readonly #watchEveryMs: number;
  readonly #options: RigOptions;
  readonly #temporal: TemporalAddress;
  readonly #token: string;
  /** Of this user. */
  readonly #started: Started[] = [];
  /** Ids of the rows of all users, once for each job that they may cost. */
  readonly #rows: string[];
  readonly #broken = new Map<PromiseName, string>();
  readonly #foreign = new Set<string>();
  #worker: RunningWorker | null = null;

  private constructor(
    client: Client,
    services: LocalServices,
    folder: string,
    options: RigOptions,
    { token: own = TOKEN, taskQueue, address, rows, lanes = [] }: Partial<UserAt> = {},
  ) {
    this.#token = own;
    this.#rows = rows ?? [];
    this.#options = options;
    this.taskQueue = taskQueue ?? `test-${randomUUID()}`;
    this.client = client;
    this.services = services;
    this.lanes = lanes;
    this.folder = folder;
    this.policy = { ...POLICY, ...options.policy };
    this.#notify = options.notify ?? null;
    this.#temporal = temporalOf(options);
    this.#watchEveryMs = options.watchEveryMs ?? 10_000;
    const place = { address: address ?? `test-${randomUUID().slice(0, 8)}` };
    const windowMs = options.windowMs ?? 3_600_000;
    const believed =
      options.believedLimit === undefined ? (options.limit ?? 100) : options.believedLimit;
    const first = believed === null || believed === 0 ? [] : [{ limit: believed, windowMs }];
    const windows = [...first, ...(options.furtherWindows ?? [])];
    const token = new Secret(own);
    this.settings = [
      describeService('molecules', services.moleculesUrl, { token }, place),
      this.#predictions(token, place.address, windows),
      ...lanes.map(({ url }, i) => describeTestLane(url, `${place.address}-lane-${i}`)),
    ];
  }

  #predictions(token: Secret, address: string, windows: readonly Window[]): ServiceSettings {
    const { variant = 'current' } = this.#options;
    return describeService(
      'predictions',
      this.services.url,
      { token },
      {
        address,
        policy: { windows, maxOpen: null, counts: 'accepted' },
        config: { variant },
      },
    );
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'hundredfold-test-'));
    const services = await startLocalServices({ retryAfterSeconds: 0, ...options });
    const client = await connectClient(temporalOf(options));
    const lanes = await Promise.all(
      (options.lanes ?? []).map((one) => startLocalServices({ retryAfterSeconds: 0, ...one })),
    );
    const rig = new Rig(client, services, folder, options, { lanes });
    await rig.startWorker();
    return rig;
  }

  /** Another user of the same services and task queue, with their own token and machine. */
  async addUser(token: string): Promise<Rig> {
    const { client, services, taskQueue, settings } = this;
    const options = this.#options;
    const address = settings[0]?.reference.address ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'hundredfold-test-'));
    const rows = this.#rows;
    const rig = new Rig(client, services, folder, options, { token, taskQueue, address, rows });
    await rig.startWorker();
    return rig;
  }

  /** Of a user that was added: the services, their journal and the connection are those of the first. */
  async leave(): Promise<void> {
    try {
      await this.#keepsPromises([]);
    } finally {
      await this.stopWorker();
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  /** The test itself breaks this promise: `close` requires that it is broken. `how` completes "although …". */
  breaks(promise: PromiseName, how: string): void {
    this.#broken.set(promise, how);
  }

  /** The test runs this workflow with other code: `close` requires that its history cannot be replayed. */
  runsForeign(workflowId: string): void {
    this.#foreign.add(workflowId);
  }

  /** For jobs of another program, and for rows that are paid again on purpose: their ids. */
  allowJobs(...ids: readonly string[]): void {
    this.#rows.push(...ids);
  }

  /** All promises, of all campaigns that were started: trees are judged once their campaign has ended. */
  async #keepsPromises(journal: readonly JournalEntry[]): Promise<void> {
    // A campaign that was started again has the rows of each time.
    const trees = new Map<string, string[]>();
    const handles: WorkflowHandle[] = [];
    for (const started of this.#started) {
      const { status } = await started.handle.describe();
      if (status.name === 'COMPLETED')
        trees.set(started.folder, [...(trees.get(started.folder) ?? []), ...started.ids]);
      handles.push(started.handle);
    }
    for (const { reference } of this.settings) {
      handles.push(this.client.workflow.getHandle(buildBudgetWorkflowId(reference)));
    }
    const histories = await historiesOf(handles);
    const { limit = 100, believedLimit, windowMs = 3_600_000 } = this.#options;
    const { furtherWindows = [] } = this.#options;
    // A service without a limit counts nothing: then the one that the budget believes must hold.
    const kept = limit === 0 ? (believedLimit ?? 0) : limit;
    await keepsPromises(
      {
        journal,
        windows: [...(kept === 0 ? [] : [{ limit: kept, windowMs }]), ...furtherWindows],
        rows: this.#rows,
        trees: Array.from(trees, ([folder, ids]) => ({ folder, ids: [...new Set(ids)] })),
        secrets: [this.#token],
        folders: [this.folder],
        texts: { 'worker log': workerLog.join('\n'), ...textsOf(histories) },
      },
      this.#broken,
    );
    await replaysHistories(histories, this.#foreign, this.#options.codec);
  }

  /**
   * @param services for this worker, also with another address or limit than the campaign was started with
   * @param dependencies wraps the dependencies of the activities
   */
  async startWorker(
    services = this.settings,
    dependencies?: Replacements['dependencies'],
  ): Promise<void> {
    const { client, taskQueue } = this;
    const temporal = this.#temporal;
    const notify = this.#notify;
    const watchEveryMs = this.#watchEveryMs;
    const stateFolder = await this.#stateFolder();
    const options = {
      temporal,
      client,
      taskQueue,
      services,
      notify,
      stateFolder,
      ...(this.#options.sharesQueue && { roles: this.#options.roles ?? ROLES }),
    };
    const replacements = { watchEveryMs, ...(dependencies && { dependencies }) };
    this.#worker = await startWorkerWith(options, replacements);
  }

  /** A worker on another machine: it finds the trees only at `placeOf`. The caller stops it. */
  async startRemoteWorker(placeOf: (folder: string) => string): Promise<RunningWorker> {
    const { client, taskQueue, settings: services } = this;
    const temporal = this.#temporal;
    const stateFolder = await this.#stateFolder();
    const options = { temporal, client, taskQueue, services, stateFolder };
    return startWorkerWith(options, {
      dependencies: (real) => ({
        ...real,
        openStore: (folder, opening) => real.openStore(placeOf(folder), opening),
      }),
    });
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = null;
  }

  async close(): Promise<void> {
    try {
      await this.#keepsPromises(this.services.journal());
      // Over all lanes together, too.
      const all = [this.services, ...this.lanes].flatMap((one) => one.journal());
      atMostOneJob(all, this.#rows);
    } finally {
      await this.stopWorker();
      for (const lane of this.lanes) await lane.close();
      await this.services.close();
      await this.client.connection.close();
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  /** Starts a campaign over a manifest: a path, or rows that are written to one. `cache`: it uses the result cache. */
  async start(
    manifest: string | readonly object[],
    name = `c-${randomUUID().slice(0, 8)}`,
    cache: ResultCache | null = null,
    out = 'results',
  ): Promise<Started> {
    const path =
      typeof manifest === 'string'
        ? manifest
        : await writeManifest(join(this.folder, 'manifests', name), manifest);
    const { client, taskQueue, settings: feeds, policy } = this;
    const role = this.#options.sharesQueue ? 'remote' : 'host';
    const folder = join(this.folder, out, name);
    const notify = this.#notify !== null;
    const launch = { name, folder, cache, feeds, policy, notify };
    const started = await launchCampaign({ client, taskQueue, role }, path, launch);
    const { ids } = started;
    const known = this.#started.filter((one) => one.folder === folder).flatMap((one) => one.ids);
    this.allowJobs(...ids.filter((id) => !known.includes(id)));
    this.#started.push(started);
    return started;
  }

  /** Runs a campaign to its end. */
  async run(
    manifest: string | readonly object[],
    name?: string,
    cache?: ResultCache,
  ): Promise<Ran> {
    const started = await this.start(manifest, name, cache);
    return { ...started, progress: await started.handle.result() };
  }

  /** Of this rig: no test shares a ledger with another, or with the real user. */
  async #stateFolder(): Promise<string> {
    const folder = join(this.folder, 'state');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
}

interface UserAt {
  readonly token: string;
  readonly taskQueue: string;
  readonly address: string;
  readonly rows: string[];
  readonly lanes: readonly LocalServices[];
}

function describeTestLane(url: string, address: string): ServiceSettings {
  const settings = describeService('predictions', url, { token: new Secret(TOKEN) }, { address });
  return describeLane(settings, { name: address, maxOpen: 2, sameEngine: true });
}

/** Of the last run of each, by its id; without those that never ran. */
export async function historiesOf(
  handles: Iterable<Pick<WorkflowHandle, 'workflowId' | 'fetchHistory'>>,
): Promise<Map<string, History>> {
  const found = new Map<string, History>();
  for (const handle of handles)
    try {
      found.set(handle.workflowId, await handle.fetchHistory());
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  return found;
}

/** Histories as JSON, to look for secrets in them. */
export function textsOf(histories: ReadonlyMap<string, History>): Record<string, string> {
  const texts = Array.from(histories, ([id, history]) => [
    `history of ${id}`,
    JSON.stringify(historyToJSON(history)),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}

function temporalOf({ codec }: RigOptions): TemporalAddress {
  const namespace = codec ? ENCRYPTED : 'default';
  return { address: inject('temporal'), namespace, codec: codec ?? null };
}

/** What the campaign has written last, at most a second ago. */
export async function progressOf(
  handle: Pick<Started['handle'], 'describe'>,
): Promise<CampaignProgress> {
  const written = async () => (await handle.describe()).memo?.[PROGRESS_MEMO];
  return (await vi.waitUntil(written, { timeout: 20_000 })) as CampaignProgress;
}

export interface Ran extends Started {
  readonly progress: CampaignProgress;
}

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';

/** Different sequences, for the synthetic engine. */
export function sequences(count: number): { id: string; sequence: string }[] {
  return Array.from({ length: count }, (_, n) => {
    const residue = (place: number) => RESIDUES[Math.floor(n / 20 ** place) % 20] ?? 'A';
    return { id: `seq-${n}`, sequence: `MKTAYIAK${residue(0)}${residue(1)}${residue(2)}` };
  });
}

/** Alkanes of different lengths, for the synthetic engine. */
export function molecules(count: number): { id: string; smiles: string }[] {
  return Array.from({ length: count }, (_, n) => ({ id: `mol-${n}`, smiles: 'C'.repeat(n + 1) }));
}
