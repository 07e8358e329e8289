/**
 * A working group: three hosts that share only a Temporal on PostgreSQL and a bucket, two users with their own tokens,
 * and the services. Each runs in a network namespace with its own folder and host name.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Journal, type JournalEntry } from '../../../src/local-services/journal.ts';
import { connectClient } from '../../../src/temporal/connection.ts';
import { isListening } from '../../../src/temporal/ports.ts';
import { Clocks } from '../../chaos/clocks.ts';
import { BIN, Typed } from '../../cli/command.ts';
import { startS3, type S3Server } from '../../s3-server.ts';
import { createNamespace } from '../create-namespace.ts';
import { startCluster, type Cluster } from '../temporal-on-postgres.ts';
import type { ClusterTools } from '../tools.ts';
import { Network, type Place } from './network.ts';

export const HOSTS = ['host1', 'host2', 'host3'] as const;
export type HostName = (typeof HOSTS)[number];
/** Everything that can be disconnected from each other. PostgreSQL is on Temporal's host. */
export const PLACES = [...HOSTS, 'temporal', 'store', 'services'] as const;
export type PlaceName = (typeof PLACES)[number];

export interface User {
  readonly name: string;
  readonly molecules: string;
  readonly predictions: string;
}

export const USERS = [
  { name: 'ada', molecules: 'mAdaTkn7Zq', predictions: 'pAdaTokenOfTest9x' },
  { name: 'ben', molecules: 'mBenTkn4Wd', predictions: 'pBenTokenOfTest2y' },
] as const satisfies readonly User[];

export interface Limits {
  /** Jobs of a token in a window, for each service. */
  readonly limit: number;
  readonly windowMs: number;
  readonly jobMs: number;
  /** Concurrent jobs in each service, 0: no limit; default 8. */
  readonly concurrency?: number;
  /** Of the services' own limits; default: the same. */
  readonly unlimited?: boolean;
  /** PostgreSQL as in production. */
  readonly durable?: boolean;
  /** Of the trees; default: the bucket. With `folder`, campaigns are started with `--out` in a folder of all hosts. */
  readonly store?: 'bucket' | 'folder';
}

const NAMESPACE = 'lab';
const SERVICES_PORT = 8080;

/** A worker that must keep running: restarted after a kill. */
interface Worker {
  readonly host: HostName;
  readonly user: User;
  typed: Typed;
}

function there<T>(part: T | null): T {
  if (part === null) throw new Error('the lab is not open yet');
  return part;
}

export class Lab {
  readonly network: Network;
  readonly limits: Limits;
  readonly folder = mkdtempSync(join(tmpdir(), 'hundredfold-hosts-'));
  readonly workers: Worker[] = [];
  readonly #places = new Map<PlaceName, Place>();
  readonly #typed: { host: PlaceName; typed: Typed }[] = [];
  readonly #clocks = new Map<PlaceName, Clocks>();
  #cluster: Cluster | null = null;
  #store: S3Server | null = null;
  #services: Typed | null = null;

  static async open(tools: ClusterTools, limits: Limits): Promise<Lab> {
    const lab = new Lab(limits);
    try {
      await lab.#setUp(tools);
      return lab;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  private constructor(limits: Limits) {
    this.limits = limits;
    this.network = new Network();
    for (const name of PLACES) this.#places.set(name, this.network.add(name));
  }

  get cluster(): Cluster {
    return there(this.#cluster);
  }

  get store(): S3Server {
    return there(this.#store);
  }

  get services(): Typed {
    return there(this.#services);
  }

  place(name: PlaceName): Place {
    const place = this.#places.get(name);
    if (!place) throw new Error(`no place ${name}`);
    return place;
  }

  /** Runs a command on a host. */
  type(host: PlaceName, user: User, words: readonly string[]): Typed {
    const [program = '', ...rest] = [...this.place(host).enter, process.execPath, BIN, ...words];
    const cwd = this.path(host);
    const child = spawn(program, rest, {
      cwd,
      env: this.#environment(host, user),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const typed = new Typed(child, `${words.join(' ')} (${user.name} at ${host})`);
    this.#typed.push({ host, typed });
    return typed;
  }

  path(host: PlaceName, ...names: readonly string[]): string {
    return join(this.folder, host, ...names);
  }

  write(host: PlaceName, name: string, text: string): void {
    mkdirSync(dirname(this.path(host, name)), { recursive: true });
    writeFileSync(this.path(host, name), text);
  }

  startWorker(host: HostName, user: User): void {
    this.workers.push({ host, user, typed: this.type(host, user, ['worker']) });
  }

  /** kill -9, and restart. */
  async killWorker(n: number, awayMs: number): Promise<void> {
    const worker = this.workers[n];
    if (!worker) throw new Error(`no worker ${n}`);
    worker.typed.kill('SIGKILL');
    await worker.typed.ended;
    await delay(awayMs);
    worker.typed = this.type(worker.host, worker.user, ['worker']);
  }

  async killServices(awayMs: number): Promise<void> {
    this.services.kill('SIGKILL');
    await this.services.ended;
    await delay(awayMs);
    await this.#startServices();
  }

  async killStore(awayMs: number): Promise<void> {
    await this.store.kill();
    await delay(awayMs);
    await this.store.start();
  }

  async killTemporal(awayMs: number): Promise<void> {
    const { server } = this.cluster;
    server.kill('SIGKILL');
    await delay(awayMs);
    await this.cluster.restartServer();
  }

  async killDatabase(awayMs: number): Promise<void> {
    this.cluster.postgres.process.kill('SIGKILL');
    // Its children need a moment to notice.
    await delay(Math.max(500, awayMs));
    this.cluster.postgres = await this.cluster.postgres.restart();
    // Temporal ends if it finds no database at its own start only; it may have been away meanwhile.
    if (this.cluster.server.exitCode !== null) await this.cluster.restartServer();
  }

  /** All processes of a host read their clock this much later, including those that start from now on. */
  setClock(host: PlaceName, offsetS: number): void {
    const own = (): number[] => this.#pidsAt(host);
    const clocks = this.#clocks.get(host) ?? new Clocks(own);
    this.#clocks.set(host, clocks);
    clocks.setTo(offsetS);
  }

  /** Of the test itself, which no partition affects. */
  client(): Promise<Client> {
    return connectClient({ address: this.cluster.address, namespace: NAMESPACE });
  }

  /** Every submission that reached the services. Only after they have stopped. */
  journal(): JournalEntry[] {
    const database = new DatabaseSync(this.path('services', 'services.db'), { readOnly: true });
    try {
      return new Journal(database).entries();
    } finally {
      database.close();
    }
  }

  async stopServices(): Promise<void> {
    this.services.kill('SIGTERM');
    await this.services.ended;
  }

  get said(): readonly Typed[] {
    return this.#typed.map(({ typed }) => typed);
  }

  /** Ends every process and the network at once, if there is no time for more. */
  kill(): void {
    for (const { typed } of this.#typed) if (typed.running) typed.kill('SIGKILL');
    this.#cluster?.server.kill('SIGKILL');
    this.#cluster?.postgres.process.kill('SIGKILL');
    this.network[Symbol.dispose]();
  }

  async close(): Promise<void> {
    const clocks = await Promise.allSettled([...this.#clocks.values()].map((one) => one.stop()));
    for (const { typed } of this.#typed) if (typed.running) typed.kill('SIGKILL');
    await Promise.all(this.#typed.map(({ typed }) => typed.ended));
    await this.#cluster?.[Symbol.asyncDispose]();
    await this.#store?.stop();
    this.network[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
    // A clock that could not be set: the round was not the planned one.
    for (const one of clocks) if (one.status === 'rejected') throw one.reason;
  }

  async #setUp(tools: ClusterTools): Promise<void> {
    for (const name of PLACES) mkdirSync(this.path(name, 'tmp'), { recursive: true });
    [this.#cluster, this.#store] = await Promise.all([
      startCluster({
        tools,
        at: this.place('temporal'),
        durable: this.limits.durable ?? false,
      }),
      startS3(this.place('store')),
    ]);
    for (const host of HOSTS) this.write(host, 'hundredfold.yaml', this.#configuration());
    await this.#startServices();
    createNamespace({
      address: this.cluster.address,
      namespace: NAMESPACE,
      enter: this.place('host1').enter,
    });
  }

  async #startServices(): Promise<void> {
    const { windowMs, jobMs, concurrency = 8, unlimited } = this.limits;
    const limit = unlimited ? 0 : this.limits.limit;
    const { address } = this.place('services');
    const options = {
      host: address,
      port: SERVICES_PORT,
      engine: 'synthetic',
      concurrency,
      'max-queued': 0,
      limit,
      'molecule-limit': limit,
      'address-limit': 0,
      window: `${windowMs}ms`,
      'job-time': `${jobMs}ms`,
      'retry-after': 0,
      database: 'services.db',
    };
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const [user] = USERS;
    this.#services = this.type('services', user, ['services', ...words]);
    while (!(await isListening(SERVICES_PORT, address))) {
      if (!this.services.running) throw new Error(this.services.story());
      await delay(100);
    }
  }

  #configuration(): string {
    const { limit, windowMs, store = 'bucket' } = this.limits;
    const { endpoint } = this.store.access;
    const bucket = `store: { url: "s3://${this.store.bucket}/trees", endpoint: "${endpoint}" }\n`;
    const url = `http://${this.place('services').address}:${SERVICES_PORT}`;
    const budget = `budget: { limit: ${limit}, window: ${windowMs}ms }, maxUnfinished: none, allowHttp: true`;
    return `temporal: { address: "${this.cluster.address}", namespace: ${NAMESPACE} }
${store === 'bucket' ? bucket : ''}services:
  molecules: { url: "${url}/acpype", ${budget} }
  predictions: { url: "${url}", ${budget} }
jobs: { lostAfter: 2s, sameFailures: none }
`;
  }

  #environment(host: PlaceName, user: User): NodeJS.ProcessEnv {
    const home = this.path(host);
    return {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      XDG_RUNTIME_DIR: join(home, 'tmp'),
      HUNDREDFOLD_STATE_DIR: join(home, `state-of-${user.name}`),
      HUNDREDFOLD_MOLECULE_TOKEN: user.molecules,
      HUNDREDFOLD_PREDICTION_TOKEN: user.predictions,
      ...this.#store?.environment,
    };
  }

  #pidsAt(host: PlaceName): number[] {
    const own = this.#typed.filter((one) => one.host === host && one.typed.running);
    const servers = host === 'temporal' ? [this.cluster.server.pid ?? 0] : [];
    return [...own.map(({ typed }) => typed.pid), ...servers].filter((pid) => pid > 0);
  }
}
