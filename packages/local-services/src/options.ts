/**
 * The options of the local services, and the resulting settings. Invalid options are refused, so that a test with a
 * typing mistake does not run against another configuration than intended.
 */
import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { ENGINE_NAMES, type EngineJob } from './engines/engine.ts';
import type { FaultRule } from './faults.ts';
import type { MailSettings } from './molecules/mail.ts';
import { LocalServicesError } from './problem.ts';

/** `installed`: for each service the real engine if it is installed, else the recorded one. */
const ENGINE_CHOICES = [...ENGINE_NAMES, 'installed'] as const;
type EngineChoice = (typeof ENGINE_CHOICES)[number];

const VARIANTS = ['current', 'earlier'] as const;
export type Variant = (typeof VARIANTS)[number];

export interface LocalServicesOptions {
  /** Address to listen on. Default `127.0.0.1`: not reachable from the network. */
  readonly host?: string;
  /** 0 = any free port (default). */
  readonly port?: number;
  /** SQLite file of the jobs; default `:memory:`, lost with the process. */
  readonly database?: string;
  /** Default `recorded`: the same answers on every machine. */
  readonly engine?: EngineChoice;
  /** Jobs per window and token of the prediction service; default 100, 0 = no limit. */
  readonly limit?: number;
  /** The same for the molecule service, whose contract (8) shows none; default 0 = no limit. */
  readonly moleculeLimit?: number;
  /** Length of the rolling window in ms; default 3,600,000. */
  readonly windowMs?: number;
  /**
   * Second, looser ceiling of the prediction service per network address (contract of the prediction service, 8);
   * default 300 or three times a larger `limit`, 0 = none.
   */
  readonly addressLimit?: number;
  /** Run time of a simulated job in ms; default 500 for recorded, 1500 for synthetic. */
  readonly jobMs?: number | ((input: EngineJob) => number);
  /**
   * Jobs that run in parallel, 0 = unlimited. Real engines: in both services together, default the number of cores.
   * Others: in each service, default 2.
   */
  readonly concurrency?: number;
  /** Jobs of one token that may wait for a worker in each service; default 1000, 0 = no limit. */
  readonly maxQueued?: number;
  /** Maximum body of a request, in bytes; default 20 MiB. The contracts show no limit. */
  readonly bodyLimit?: number;
  /** Time limit of a job, measured against its elapsed time; default 3600. */
  readonly timeLimitSeconds?: number;
  /** A running job whose worker sends no heartbeat for longer is failed; default 30. Fractions are allowed. */
  readonly heartbeatSilenceSeconds?: number;
  /** `Retry-After` of a 202 answer; default 5 (contract of the prediction service, 8). */
  readonly retryAfterSeconds?: number;
  /** `earlier`: section 9 of the contract of the prediction service. */
  readonly variant?: Variant;
  /** Faults that are active from the start. */
  readonly faults?: readonly FaultRule[];
  /** SMTP server (`smtp://host:port`) for mail about jobs whose submission has an address; default: a log line. */
  readonly smtp?: string;
  /** Sender of that mail; default `molecules@localhost`. */
  readonly mailFrom?: string;
  /** Lets a client control faults with PUT, GET and DELETE `/_faults`; default false. */
  readonly allowFaultControl?: boolean;
  /** A pino logger, or true for a new one. Neither tokens nor bodies are logged. */
  readonly log?: boolean | FastifyBaseLogger;
}

type Converted = 'jobMs' | 'timeLimitSeconds' | 'heartbeatSilenceSeconds' | 'smtp' | 'mailFrom';

/** The options with every default filled in. */
export interface Settings extends Required<Omit<LocalServicesOptions, Converted>> {
  readonly jobMs: (input: EngineJob) => number;
  readonly timeLimitMs: number;
  readonly heartbeatSilenceMs: number;
  readonly mail: MailSettings | null;
}

function refuse(name: string, value: unknown, expected: string): never {
  throw new LocalServicesError(
    'LOCAL_SERVICES_OPTION',
    `The option ${name} of the local services is ${JSON.stringify(value)}; expected ${expected}.`,
    `Give ${name} as ${expected}, or leave it out.`,
  );
}

function whole(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || value < 0) refuse(name, value, 'a whole number, 0 or more');
  return value;
}

function positive(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!Number.isFinite(value) || value <= 0) refuse(name, value, 'a number above 0');
  return value;
}

function oneOf<T extends string>(
  name: string,
  value: T | undefined,
  allowed: readonly T[],
  fallback: T,
): T {
  if (value === undefined) return fallback;
  if (!allowed.includes(value)) refuse(name, value, `one of ${allowed.join(', ')}`);
  return value;
}

function mailOf({
  smtp,
  mailFrom = 'molecules@localhost',
}: LocalServicesOptions): MailSettings | null {
  if (smtp === undefined) return null;
  const url = URL.parse(smtp);
  // A password in the arguments of a process is visible to every account of the machine, and is not repeated here.
  if (smtp.includes('@')) refuse('smtp', '…@…', 'an address without user and password');
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    return refuse('smtp', smtp, 'smtp://host:port or smtps://host:port');
  }
  const secure = url.protocol === 'smtps:';
  const port = url.port === '' ? (secure ? 465 : 25) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, secure, from: mailFrom };
}

/** Checks the options and fills in the defaults. Throws `LOCAL_SERVICES_OPTION`. */
export function settingsOf(options: LocalServicesOptions): Settings {
  const engine = oneOf('engine', options.engine, ENGINE_CHOICES, 'recorded');
  const computes = engine === 'real' || engine === 'installed';
  const limit = whole('limit', options.limit, 100);
  const jobMs = options.jobMs ?? (engine === 'synthetic' ? 1500 : 500);
  if (typeof jobMs === 'number') whole('jobMs', jobMs, 0);
  return {
    host: options.host ?? '127.0.0.1',
    port: whole('port', options.port, 0),
    database: options.database ?? ':memory:',
    engine,
    limit,
    moleculeLimit: whole('moleculeLimit', options.moleculeLimit, 0),
    windowMs: positive('windowMs', options.windowMs, 3_600_000),
    // Looser than the limit per token, or that would never be reached.
    addressLimit: whole(
      'addressLimit',
      options.addressLimit,
      limit === 0 ? 0 : Math.max(300, 3 * limit),
    ),
    jobMs: typeof jobMs === 'number' ? () => jobMs : jobMs,
    concurrency: whole('concurrency', options.concurrency, computes ? availableParallelism() : 2),
    maxQueued: whole('maxQueued', options.maxQueued, 1000),
    bodyLimit: whole('bodyLimit', options.bodyLimit, 20 * 1024 * 1024),
    timeLimitMs: positive('timeLimitSeconds', options.timeLimitSeconds, 3600) * 1000,
    heartbeatSilenceMs:
      positive('heartbeatSilenceSeconds', options.heartbeatSilenceSeconds, 30) * 1000,
    retryAfterSeconds: whole('retryAfterSeconds', options.retryAfterSeconds, 5),
    variant: oneOf('variant', options.variant, VARIANTS, 'current'),
    faults: options.faults ?? [],
    mail: mailOf(options),
    allowFaultControl: options.allowFaultControl ?? false,
    log: options.log ?? false,
  };
}
