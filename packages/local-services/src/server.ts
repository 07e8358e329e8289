/**
 * Both services of the contracts as one server: the prediction service at the root, the molecule service under
 * `/acpype`. For the demo, for tests, and for trying a campaign before using a budget.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import { Admission, type Services } from './admission.ts';
import { buildApp } from './app.ts';
import { Clock } from './clock.ts';
import type { ServiceName } from './contract.ts';
import { chooseEngines, closeEngines, type Engines } from './engines/choose.ts';
import { formatEngineStatement } from './engines/engine.ts';
import { Faults } from './faults.ts';
import { JobStore, openDatabase } from './jobs.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { Mail } from './mail.ts';
import { MOLECULES } from './molecules.ts';
import { parseSettings, type LocalServicesOptions, type Settings } from './options.ts';
import { LocalServicesError, toMessage } from './problem.ts';
import { Workers } from './worker.ts';

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
 * Starts both services. Throws `LOCAL_SERVICES_FAILED` for an invalid option, a real engine that is not installed, a
 * database that cannot be used, or an address that is in use.
 */
export async function startLocalServices(
  options: LocalServicesOptions = {},
): Promise<LocalServices> {
  const settings = parseSettings(options);
  const engines = chooseEngines(settings);
  const database = openDatabase(settings.database);
  const journal = new Journal(database);
  const services = createServices(database, journal, settings);
  const app = await buildApp(services);
  try {
    await app.listen({ host: settings.host, port: settings.port });
  } catch (cause) {
    await app.close();
    database.close();
    throw createPortError(settings, cause);
  }
  const { port } = app.server.address() as AddressInfo;
  const { faults } = services;
  const listener = new Listener(app.server, settings.host, port);
  faults.onChange = () => listener.follow(faults);
  faults.set(settings.faults);
  const mail = new Mail(settings.smtp, services.jobs, app.log);
  const workers = startWorkers(app, services, engines, mail);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = `http://${host}:${String(port)}`;
  let closing: Promise<void> | undefined;
  /** The journal at the end, because it is usually read after closing. */
  let last: JournalEntry[] | undefined;
  const close = async (): Promise<void> => {
    await shutDown({ app, listener, workers, mail, engines });
    last = journal.entries();
    database.close();
  };
  return {
    url,
    moleculesUrl: `${url}${MOLECULES}`,
    engines: {
      molecules: formatEngineStatement(engines.molecules),
      predictions: formatEngineStatement(engines.predictions),
    },
    faults,
    journal: () => last ?? journal.entries(),
    close: () => (closing ??= close()),
  };
}

function createServices(database: DatabaseSync, journal: Journal, settings: Settings): Services {
  const clock = new Clock();
  const faults = new Faults();
  clock.skewMs = () => faults.findActive('skew')?.ms ?? 0;
  const jobs = new JobStore(database);
  const admission = new Admission(database, { jobs, journal, clock, faults, settings });
  return { settings, clock, jobs, admission, faults };
}

interface Running {
  readonly app: FastifyInstance;
  readonly listener: Listener;
  readonly workers: Workers;
  readonly mail: Mail;
  readonly engines: Engines;
}

async function shutDown({ app, listener, workers, mail, engines }: Running): Promise<void> {
  listener.stop();
  // A client that stops reading would keep the server open.
  const force = setTimeout(() => app.server.closeAllConnections(), CLOSING_MS);
  await app.close();
  clearTimeout(force);
  await workers.stop();
  await mail.close();
  await closeEngines(Object.values(engines));
}

function createPortError({ host, port }: Settings, cause: unknown): LocalServicesError {
  return new LocalServicesError(
    'LOCAL_SERVICES_FAILED',
    `The local services cannot listen on ${host}:${String(port)}: ${toMessage(cause)}.`,
    'Choose another port, or stop the program that uses it.',
    { cause },
  );
}

/** Jobs aborted by a stop are queued again first. */
function startWorkers(
  { log }: FastifyInstance,
  { jobs, clock, settings, admission }: Services,
  engines: Engines,
  mail: Mail,
): Workers {
  jobs.requeue(clock.now());
  const workers = new Workers({
    jobs,
    clock,
    settings,
    engines,
    onBroken: (error) => log.error({ err: error }, 'an engine broke'),
    onEnded: ({ id, service }) => service === 'molecules' && mail.send(id),
  });
  admission.onAccepted = () => workers.pump();
  workers.pump();
  return workers;
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

  /** Refuses connections while the fault is on, or for its time. */
  follow(faults: Faults): void {
    const refuse = faults.findActive('refuse');
    clearTimeout(this.#reopen);
    if (!refuse) this.#accept();
    else if (!this.#refusing) {
      this.#refusing = true;
      this.#server.close();
      this.#server.closeAllConnections();
    }
    if (refuse?.ms !== undefined) this.#reopen = setTimeout(() => this.#accept(), refuse.ms);
  }

  #accept(): void {
    if (!this.#refusing) return;
    this.#refusing = false;
    this.#server.listen(this.#port, this.#host);
  }

  /** Cancels planned changes: the server is being closed. */
  stop(): void {
    clearTimeout(this.#reopen);
  }
}
