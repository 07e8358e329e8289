/**
 * Both services of the contracts as one server: the prediction service at the root, the molecule service under
 * `/acpype`. For the demo, for tests, and for trying a campaign before using a budget.
 */
import type { AddressInfo } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import { LocalServicesError, textOf } from './problem.ts';
import { SERVICES, type ServiceName } from './contract.ts';
import { Admission } from './admission.ts';
import { buildApp } from './app.ts';
import { Clock } from './clock.ts';
import { chooseEngines, closeEngines, type Engines } from './engines/choose.ts';
import { engineStatement } from './engines/engine.ts';
import { Faults } from './faults.ts';
import { JobStore } from './jobs.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { Mail } from './molecules/mail.ts';
import { settingsOf, type LocalServicesOptions, type Settings } from './options.ts';
import { openDatabase } from './schema.ts';
import { MOLECULES, type Services } from './services.ts';
import { Slots, Worker } from './worker.ts';
import type { Server } from 'node:http';

/** Limit for requests in progress when the server closes, in ms. */
const CLOSING_MS = 10_000;

export interface LocalServices {
  /** `{base_url}` of the prediction service, e.g. `http://127.0.0.1:8765`. */
  readonly url: string;
  /** `{mol_base_url}` of the molecule service. */
  readonly moleculesUrl: string;
  /** The engine of each service, as in its jobs' logs: `engine: real, ACPYPE 2023.10.27`. */
  readonly engines: Readonly<Record<ServiceName, string>>;
  readonly faults: Pick<Faults, 'set' | 'add' | 'clear' | 'fired'>;
  /** Every submission since the database was created, in order; also after `close`. */
  journal(): JournalEntry[];
  /** Stops cleanly: finishes responses in progress, aborts jobs (they run again at the next start), closes. */
  close(): Promise<void>;
}

/**
 * Starts both services. Throws `LOCAL_SERVICES_OPTION` for an invalid option, `LOCAL_SERVICES_ENGINE` for a real engine
 * that is not installed, `LOCAL_SERVICES_DATABASE` for a database that cannot be used, `LOCAL_SERVICES_PORT` if the
 * port cannot be listened on.
 */
export async function startLocalServices(
  options: LocalServicesOptions = {},
): Promise<LocalServices> {
  const settings = settingsOf(options);
  const engines = chooseEngines(settings);
  const database = openDatabase(settings.database);
  const { services, journal } = servicesOn(database, settings);
  const app = await buildApp(services);
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
  const mail = new Mail(settings.mail, services.jobs, app.log);
  const workers = startWorkers(app, services, engines, mail);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return running(`http://${host}:${String(port)}`, {
    app,
    listener,
    workers,
    mail,
    engines,
    database,
    journal,
    faults,
  });
}

interface Parts {
  readonly app: FastifyInstance;
  readonly listener: Listener;
  readonly workers: readonly Worker[];
  readonly mail: Mail;
  readonly engines: Engines;
  readonly database: DatabaseSync;
  readonly journal: Journal;
  readonly faults: Faults;
}

function running(url: string, parts: Parts): LocalServices {
  const { faults, journal } = parts;
  let closing: Promise<void> | undefined;
  /** The journal at the end, because it is usually read after closing. */
  let last: JournalEntry[] | undefined;
  const close = async (): Promise<void> => {
    await shutDown(parts);
    last = journal.entries();
    parts.database.close();
  };
  return {
    url,
    moleculesUrl: `${url}${MOLECULES}`,
    engines: {
      molecules: engineStatement(parts.engines.molecules),
      predictions: engineStatement(parts.engines.predictions),
    },
    faults,
    journal: () => last ?? journal.entries(),
    close: () => (closing ??= close()),
  };
}

async function shutDown({ app, listener, workers, mail, engines }: Parts): Promise<void> {
  listener.stop();
  // A client that stops reading would keep the server open.
  const force = setTimeout(() => {
    app.server.closeAllConnections();
  }, CLOSING_MS);
  await app.close();
  clearTimeout(force);
  await Promise.all(workers.map((worker) => worker.stop()));
  await mail.close();
  await closeEngines(Object.values(engines));
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
  return {
    services: { settings, clock, jobs, admission, faults },
    journal,
  };
}

function unusablePort({ host, port }: Settings, cause: unknown): LocalServicesError {
  return new LocalServicesError(
    'LOCAL_SERVICES_PORT',
    `The local services cannot listen on ${host}:${String(port)}: ${textOf(cause)}.`,
    'Choose another port, or stop the program that uses it.',
    { cause },
  );
}

/** One pool of workers per service; jobs aborted by a stop are queued again first. */
function startWorkers(
  app: FastifyInstance,
  services: Services,
  engines: Engines,
  mail: Mail,
): Worker[] {
  const { jobs, clock, settings, admission } = services;
  // Real engines share the cores; the others only wait.
  const computes = SERVICES.some((service) => engines[service].name === 'real');
  const shared = new Slots(settings.concurrency);
  const onBroken = (error: unknown): void => {
    app.log.error({ err: error }, 'an engine broke');
  };
  jobs.requeue(clock.now());
  const workers = new Map(
    SERVICES.map((service): [ServiceName, Worker] => [
      service,
      new Worker(
        service,
        {
          jobs,
          clock,
          onBroken,
          engine: engines[service],
          onEnded: (id) => {
            if (service === 'molecules') mail.ended(id);
          },
          slots: computes ? shared : new Slots(settings.concurrency),
        },
        settings,
      ),
    ]),
  );
  admission.onAccepted = (service) => {
    workers.get(service)?.pump();
  };
  for (const worker of workers.values()) worker.pump();
  return [...workers.values()];
}

/** The listening socket, so that the fault `refuse` can close it and open it again on the same port. */
class Listener {
  readonly #server: Server;
  readonly #host: string;
  readonly #port: number;
  #refusing = false;
  #reopen: NodeJS.Timeout | undefined;

  constructor(server: Server, host: string, port: number) {
    this.#server = server;
    this.#host = host;
    this.#port = port;
  }

  /** Refuses connections from now on, for `ms` or until `accept`. */
  refuse(ms: number | undefined): void {
    clearTimeout(this.#reopen);
    if (!this.#refusing) {
      this.#refusing = true;
      this.#server.close();
      this.#server.closeAllConnections();
    }
    if (ms !== undefined) {
      this.#reopen = setTimeout(() => {
        this.accept();
      }, ms);
    }
  }

  accept(): void {
    clearTimeout(this.#reopen);
    if (!this.#refusing) return;
    this.#refusing = false;
    this.#server.listen(this.#port, this.#host);
  }

  /** Cancels planned changes: the server is being closed. */
  stop(): void {
    clearTimeout(this.#reopen);
  }
}
