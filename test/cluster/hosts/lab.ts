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
import { Journal, type JournalEntry } from '../../../packages/local-services/src/journal.ts';
import { connectClient } from '../../../src/temporal/connection.ts';
import { isListening } from '../../../src/temporal/machine.ts';
import { servicesWords } from '../../chaos/setting.ts';
import { BIN, Typed } from '../../cli/command.ts';
import { startS3, type S3Server } from '../../s3-server.ts';
import { createNamespace } from '../create-namespace.ts';
import { startCluster, type Cluster } from '../temporal-on-postgres.ts';
import type { ClusterTools } from '../tools.ts';
import { Network, type Place } from './network.ts';
import type { Event } from './plan.ts';

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

  /** kill -9, and restart after this long. */
  async kill(what: Extract<Event, { do: 'kill' }>['what'], awayMs: number): Promise<void> {
    const { cluster } = this;
    switch (what) {
      case 'temporal':
        cluster.server.kill('SIGKILL');
        await delay(awayMs);
        return cluster.restartServer();
      case 'database':
        cluster.postgres.process.kill('SIGKILL');
        // Its children need a moment to notice.
        await delay(Math.max(500, awayMs));
        cluster.postgres = await cluster.postgres.restart();
        // Temporal ends if it finds no database at its own start only; it may have been away meanwhile.
        if (cluster.server.exitCode !== null) await cluster.restartServer();
        return;
      case 'store':
        await this.store.kill();
        await delay(awayMs);
        return this.store.start();
      case 'services':
        this.services.kill('SIGKILL');
        await this.services.ended;
        await delay(awayMs);
        return this.#startServices();
      default: {
        const worker = this.workers[Number(what.slice(-1))];
        if (!worker) throw new Error(`no ${what}`);
        worker.typed.kill('SIGKILL');
        await worker.typed.ended;
        await delay(awayMs);
        worker.typed = this.type(worker.host, worker.user, ['worker']);
      }
    }
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
  killAll(): void {
    for (const { typed } of this.#typed) if (typed.running) typed.kill('SIGKILL');
    this.#cluster?.server.kill('SIGKILL');
    this.#cluster?.postgres.process.kill('SIGKILL');
    this.network[Symbol.dispose]();
  }

  async close(): Promise<void> {
    for (const { typed } of this.#typed) if (typed.running) typed.kill('SIGKILL');
    await Promise.all(this.#typed.map(({ typed }) => typed.ended));
    await this.#cluster?.[Symbol.asyncDispose]();
    await this.#store?.stop();
    this.network[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #setUp(tools: ClusterTools): Promise<void> {
    for (const name of PLACES) mkdirSync(this.path(name, 'tmp'), { recursive: true });
    [this.#cluster, this.#store] = await Promise.all([
      startCluster({ tools, at: this.place('temporal') }),
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
    const { limit, windowMs, jobMs } = this.limits;
    const { address } = this.place('services');
    const words = servicesWords({
      host: address,
      port: SERVICES_PORT,
      concurrency: 8,
      limit,
      'molecule-limit': limit,
      'address-limit': 0,
      window: `${windowMs}ms`,
      'job-time': `${jobMs}ms`,
      'retry-after': 0,
    });
    const [user] = USERS;
    this.#services = this.type('services', user, words);
    while (!(await isListening(SERVICES_PORT, address))) {
      if (!this.services.running) throw new Error(this.services.story());
      await delay(100);
    }
  }

  #configuration(): string {
    const { limit, windowMs } = this.limits;
    const { endpoint } = this.store.access;
    const url = `http://${this.place('services').address}:${SERVICES_PORT}`;
    const budget = `budget: { limit: ${limit}, window: ${windowMs}ms }, maxOpen: none, allowHttp: true`;
    return `temporal: { address: "${this.cluster.address}", namespace: ${NAMESPACE} }
store: { url: "s3://${this.store.bucket}/trees", endpoint: "${endpoint}" }
services:
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
      HUNDREDFOLD_STATE_DIR: join(home, `state-of-${user.name}`),
      HUNDREDFOLD_MOLECULE_TOKEN: user.molecules,
      HUNDREDFOLD_PREDICTION_TOKEN: user.predictions,
      ...this.#store?.environment,
    };
  }
}
