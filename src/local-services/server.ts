/**
 * Both services of the contracts as one server: the prediction service at the root, the molecule service under
 * `/acpype`. For the demo, for tests, and for trying a campaign before using a budget.
 */
import type { AddressInfo } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { SERVICES, type ServiceName } from '../domain/item.ts';
import { Admission } from './admission.ts';
import { buildApp, CONTROL } from './app.ts';
import { Clock } from './clock.ts';
import { chooseEngines, closeEngines, offersAbcg2, type Engines } from './engines/choose.ts';
import { engineStatement } from './engines/statement.ts';
import { Faults, type FaultRule } from './faults.ts';
import { Gateway, gatewayHandle, type GatewayHandle } from './gateway/gateway.ts';
import { JobStore } from './jobs.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { Listener } from './listener.ts';
import { Metrics } from './metrics.ts';
import { Mail } from './molecules/mail.ts';
import { MOLECULES } from './mounts.ts';
import { settingsOf, type LocalServicesOptions, type Settings } from './options.ts';
import { openDatabase } from './schema.ts';
import type { Services } from './services.ts';
import { Slots } from './slots.ts';
import { Worker } from './worker.ts';

/** Limit for requests in progress when the server closes, in ms. */
const CLOSING_MS = 10_000;

export interface LocalServices {
  /** `{base_url}` of the prediction service, e.g. `http://127.0.0.1:8765`. */
  readonly url: string;
  /** `{mol_base_url}` of the molecule service. */
  readonly moleculesUrl: string;
  /** The engine of each service, as in its jobs' logs: `engine: real, ACPYPE 2023.10.27`. */
  readonly engines: Readonly<Record<ServiceName, string>>;
  readonly faults: {
    set(rules: readonly FaultRule[]): void;
    add(rule: FaultRule): void;
    clear(): void;
  };
  /** In front of both services; throws `LOCAL_SERVICES_OPTION` if they were started without the option `gateway`. */
  readonly gateway: GatewayHandle;
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
  const { services, journal } = servicesOn(database, settings, engines);
  const metrics = new Metrics(services.jobs);
  const gateway = gatewayOf(services, database);
  const app = await buildApp(services, metrics, gateway?.trouble ?? null);
  try {
    await listen(app, gateway, settings);
  } catch (cause) {
    await app.close();
    database.close();
    throw unusablePort(settings, cause);
  }
  const server = gateway?.server ?? app.server;
  const { port } = server.address() as AddressInfo;
  const listener = new Listener(server, settings.host, port);
  const { faults } = services;
  faults.onChange = () => {
    const refuse = faults.standing('refuse');
    if (refuse === undefined) listener.accept();
    else listener.refuse(refuse.ms);
  };
  faults.set(settings.faults);
  const mail = new Mail(settings.mail, services.jobs, app.log);
  const workers = startWorkers(app, services, engines, metrics, mail);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return running(`http://${host}:${String(port)}${settings.basePath}`, {
    app,
    gateway,
    listener,
    workers,
    mail,
    engines,
    database,
    journal,
    faults,
  });
}

function gatewayOf({ settings, clock, jobs }: Services, database: DatabaseSync): Gateway | null {
  if (settings.gateway === undefined) return null;
  return new Gateway(settings.gateway, {
    database,
    now: () => clock.now(),
    acceptedAt: (id) => jobs.get(id)?.queuedAt ?? null,
    basePath: settings.basePath,
    trustProxy: settings.trustProxy,
    control: settings.allowFaultControl ? CONTROL : [],
  });
}

/** With a gateway, the services listen only on this machine, and the gateway at their address. */
async function listen(
  app: FastifyInstance,
  gateway: Gateway | null,
  { host, port }: Settings,
): Promise<void> {
  if (gateway === null) {
    await app.listen({ host, port });
    return;
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  await gateway.listen(host, port, (app.server.address() as AddressInfo).port);
}

interface Parts {
  readonly app: FastifyInstance;
  readonly gateway: Gateway | null;
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
  const gateway = gatewayHandle(parts.gateway);
  const close = async (): Promise<void> => {
    await shutDown(parts);
    last = journal.entries();
    gateway.keepEntries();
    parts.database.close();
  };
  return {
    url,
    moleculesUrl: `${url}${MOLECULES}`,
    engines: {
      molecules: engineStatement(parts.engines.molecules),
      predictions: engineStatement(parts.engines.predictions),
    },
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
    gateway,
    journal: () => last ?? journal.entries(),
    close: () => (closing ??= close()),
  };
}

async function shutDown({ app, gateway, listener, workers, mail, engines }: Parts): Promise<void> {
  listener.stop();
  // A client that stops reading would keep the server open.
  const force = setTimeout(() => {
    app.server.closeAllConnections();
    gateway?.server.closeAllConnections();
  }, CLOSING_MS);
  await app.close();
  await gateway?.close();
  clearTimeout(force);
  await Promise.all(workers.map((worker) => worker.stop()));
  await mail.close();
  await closeEngines(Object.values(engines));
}

function servicesOn(
  database: DatabaseSync,
  settings: Settings,
  engines: Engines,
): { services: Services; journal: Journal } {
  const clock = new Clock();
  const faults = new Faults();
  clock.skewMs = () => faults.standing('skew')?.ms ?? 0;
  const jobs = new JobStore(database);
  const journal = new Journal(database);
  const admission = new Admission(database, { jobs, journal, clock, faults }, settings);
  const abcg2 = offersAbcg2(settings, engines);
  return {
    services: { settings, clock, jobs, admission, faults, offersAbcg2: abcg2 },
    journal,
  };
}

function unusablePort({ host, port }: Settings, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return codedError('LOCAL_SERVICES_PORT', { host, port, reason }, cause);
}

/** One pool of workers per service; jobs aborted by a stop are queued again first. */
function startWorkers(
  app: FastifyInstance,
  services: Services,
  engines: Engines,
  metrics: Metrics,
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
          engine: metrics.counting(engines[service]),
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
