/**
 * Both services of the contracts as one server of our own: the prediction service at the root, the molecule service
 * under `/acpype`. For the demo, for tests, and for anyone who wants to try a campaign before spending a budget.
 */
import type { AddressInfo } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import { HundredfoldError } from '../domain/errors.ts';
import { SERVICES, type ServiceName } from '../domain/item.ts';
import { Admission } from './admission.ts';
import { buildApp, MOLECULES } from './app.ts';
import { Clock } from './clock.ts';
import type { Engine } from './engines/engine.ts';
import { RecordedEngine } from './engines/recorded.ts';
import { SyntheticEngine } from './engines/synthetic.ts';
import { Faults, type FaultRule } from './faults.ts';
import { JobStore } from './jobs.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { Listener } from './listener.ts';
import { Metrics } from './metrics.ts';
import { settingsOf, type LocalServicesOptions, type Settings } from './options.ts';
import { openDatabase } from './schema.ts';
import type { Services } from './services.ts';
import { Worker } from './worker.ts';

export type { FaultRule } from './faults.ts';
export type { JournalEntry } from './journal.ts';
export type { LocalServicesOptions } from './options.ts';

/** How long requests that are being answered may take once the server is told to close, in ms. */
const CLOSING_MS = 10_000;

export interface LocalServices {
  /** `{base_url}` of the prediction service, e.g. `http://127.0.0.1:8765`. */
  readonly url: string;
  /** `{mol_base_url}` of the molecule service. */
  readonly moleculesUrl: string;
  readonly faults: {
    set(rules: readonly FaultRule[]): void;
    add(rule: FaultRule): void;
    clear(): void;
  };
  /** Every submission that arrived since the database was made, in order; also after `close`. */
  journal(): JournalEntry[];
  /** Stops in order: answers what it is answering, breaks off jobs (they run again at the next start), closes. */
  close(): Promise<void>;
}

/**
 * Starts both services. Throws `LOCAL_SERVICES_OPTION` for an option that makes no sense, `LOCAL_SERVICES_DATABASE`
 * for a database that cannot be used, `LOCAL_SERVICES_PORT` when the port cannot be listened on.
 */
export async function startLocalServices(
  options: LocalServicesOptions = {},
): Promise<LocalServices> {
  const settings = settingsOf(options);
  const database = openDatabase(settings.database);
  const { services, journal } = servicesOn(database, settings);
  const metrics = new Metrics(services.jobs);
  const app = await buildApp(services, metrics);
  try {
    await app.listen({ host: settings.host, port: settings.port });
  } catch (cause) {
    await app.close();
    database.close();
    throw unusablePort(settings, cause);
  }
  const { port } = app.server.address() as AddressInfo;
  const listener = new Listener(app.server, settings.host, port);
  const { faults } = services;
  faults.onChange = () => {
    const refuse = faults.standing('refuse');
    if (refuse === undefined) listener.accept();
    else listener.refuse(refuse.ms);
  };
  faults.set(settings.faults);
  const workers = startWorkers(app, services, metrics.counting(engineOf(settings)));
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return running(`http://${host}:${String(port)}`, {
    app,
    listener,
    workers,
    database,
    journal,
    faults,
  });
}

interface Parts {
  readonly app: FastifyInstance;
  readonly listener: Listener;
  readonly workers: readonly Worker[];
  readonly database: DatabaseSync;
  readonly journal: Journal;
  readonly faults: Faults;
}

function running(url: string, parts: Parts): LocalServices {
  const { faults, journal } = parts;
  let closing: Promise<void> | undefined;
  /** The journal as it was at the end: it is read most often when all is over. */
  let last: JournalEntry[] | undefined;
  const close = async (): Promise<void> => {
    await shutDown(parts);
    last = journal.entries();
    parts.database.close();
  };
  return {
    url,
    moleculesUrl: `${url}${MOLECULES}`,
    faults: {
      set: (rules) => {
        faults.set(rules);
      },
      add: (rule) => {
        faults.add(rule);
      },
      clear: () => {
        faults.clear();
      },
    },
    journal: () => last ?? journal.entries(),
    close: () => (closing ??= close()),
  };
}

async function shutDown({ app, listener, workers }: Parts): Promise<void> {
  listener.stop();
  // A client that stops reading would hold the server open.
  const force = setTimeout(() => {
    app.server.closeAllConnections();
  }, CLOSING_MS);
  await app.close();
  clearTimeout(force);
  await Promise.all(workers.map((worker) => worker.stop()));
}

function servicesOn(
  database: DatabaseSync,
  settings: Settings,
): { services: Services; journal: Journal } {
  const clock = new Clock();
  const faults = new Faults();
  clock.skewMs = () => faults.standing('skew')?.ms ?? 0;
  const jobs = new JobStore(database);
  const journal = new Journal(database);
  const admission = new Admission(database, { jobs, journal, clock, faults }, settings);
  return { services: { settings, clock, jobs, admission, faults }, journal };
}

function unusablePort({ host, port }: Settings, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HundredfoldError({
    code: 'LOCAL_SERVICES_PORT',
    message: `The local services cannot listen on ${host}:${String(port)}: ${reason}.`,
    remedy: 'Give another port, or stop what listens there.',
    cause,
  });
}

function engineOf(settings: Settings): Engine {
  switch (settings.engine) {
    case 'recorded':
      return new RecordedEngine(settings.jobMs);
    case 'synthetic':
      return new SyntheticEngine(settings.jobMs);
  }
}

/** One pool of workers a service, as they are two services; jobs that a stop broke off are queued again first. */
function startWorkers(app: FastifyInstance, services: Services, engine: Engine): Worker[] {
  const { jobs, clock, settings, admission } = services;
  const onBroken = (error: unknown): void => {
    app.log.error({ err: error }, 'an engine broke');
  };
  jobs.requeue(clock.now());
  const workers = new Map(
    SERVICES.map((service): [ServiceName, Worker] => [
      service,
      new Worker(service, { jobs, clock, engine, onBroken }, settings),
    ]),
  );
  admission.onAccepted = (service) => {
    workers.get(service)?.pump();
  };
  for (const worker of workers.values()) worker.pump();
  return [...workers.values()];
}
