/**
 * The options of the local services, and the resulting settings. Invalid options are refused, so that a test with a
 * typing mistake does not run against another configuration than intended.
 */
import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { ENGINE_NAMES, type EngineJob } from './engines/engine.ts';
import type { FaultRule } from './faults.ts';
import { LocalServicesError } from './problem.ts';

const WHOLE = 'a whole number, 0 or more';
const whole = z.int(WHOLE).min(0, WHOLE);
const POSITIVE = 'a number above 0';
const positive = z.number(POSITIVE).positive(POSITIVE);
const createChoiceSchema = <T extends readonly string[]>(...allowed: T) =>
  z.enum(allowed, `one of ${allowed.join(', ')}`);

type JobTime = number | ((job: EngineJob) => number);
const isJobTime = (value: unknown): boolean =>
  typeof value === 'function' || whole.safeParse(value).success;

/** A password in the arguments of a process is visible to every account of the machine. */
const SMTP = 'smtp://host:port or smtps://host:port, without user and password';
const smtp = z.string().regex(/^smtps?:\/\/[^@/]+\/?$/, SMTP);

const options = z.object({
  /** Address to listen on; the default is not reachable from the network. */
  host: z.string().default('127.0.0.1'),
  /** 0 = any free port. */
  port: whole.default(0),
  /** SQLite file of the jobs; by default they are lost with the process. */
  database: z.string().default(':memory:'),
  /** `installed`: for each service the real engine if it is installed, else the recorded one. */
  engine: createChoiceSchema(...ENGINE_NAMES, 'installed').default('recorded'),
  /** Jobs per window and token of the prediction service; 0 = no limit. */
  limit: whole.default(100),
  /** The same for the molecule service, whose contract (8) shows none. */
  moleculeLimit: whole.default(0),
  /** Length of the rolling window in ms. */
  windowMs: positive.default(3_600_000),
  /**
   * Second, looser ceiling of the prediction service per network address (contract of the prediction service, 8);
   * default 300 or three times a larger `limit`, 0 = none.
   */
  addressLimit: whole.optional(),
  /** Run time of a simulated job in ms; default 500 for recorded, 1500 for synthetic. */
  jobMs: z.custom<JobTime>(isJobTime, WHOLE).optional(),
  /**
   * Jobs that run in parallel, 0 = unlimited. Real engines: in both services together, default the number of cores.
   * Others: in each service, default 2.
   */
  concurrency: whole.optional(),
  /** Time limit of a job, measured against its elapsed time. */
  timeLimitSeconds: positive.default(3600),
  /** A running job whose worker sends no heartbeat for longer is failed. */
  heartbeatSilenceSeconds: positive.default(30),
  /** `Retry-After` of a 202 answer (contract of the prediction service, 8). */
  retryAfterSeconds: whole.default(5),
  /** `earlier`: section 9 of the contract of the prediction service. */
  variant: createChoiceSchema('current', 'earlier').default('current'),
  /** Faults that are active from the start. */
  faults: z.custom<readonly FaultRule[]>(Array.isArray).default([]),
  /** Server for mail about jobs whose submission has an address; without one, there is a log line. */
  smtp: smtp.optional(),
  /** Lets a client control faults with PUT, GET and DELETE `/_faults`. */
  allowFaultControl: z.boolean().default(false),
  /** A pino logger. Neither tokens nor bodies are logged. */
  log: z.custom<FastifyBaseLogger | false>().default(false),
});

export type LocalServicesOptions = Readonly<z.input<typeof options>>;

/** The options with every default filled in. */
export interface Settings extends z.output<typeof options> {
  readonly jobMs: (job: EngineJob) => number;
  readonly addressLimit: number;
  readonly concurrency: number;
}
export type Variant = Settings['variant'];

/** Checks the options and fills in the defaults. Throws `LOCAL_SERVICES_FAILED`. */
export function parseSettings(given: LocalServicesOptions): Settings {
  const read = options.safeParse(given);
  if (!read.success) throw refuseOption(given, read.error);
  const { data } = read;
  const computes = data.engine === 'real' || data.engine === 'installed';
  const { limit, jobMs = data.engine === 'synthetic' ? 1500 : 500 } = data;
  return {
    ...data,
    // Looser than the limit per token, or that would never be reached.
    addressLimit: data.addressLimit ?? (limit === 0 ? 0 : Math.max(300, 3 * limit)),
    concurrency: data.concurrency ?? (computes ? availableParallelism() : 2),
    jobMs: typeof jobMs === 'number' ? () => jobMs : jobMs,
  };
}

function refuseOption(given: LocalServicesOptions, { issues }: z.ZodError): LocalServicesError {
  const [issue] = issues;
  const name = String(issue?.path[0]) as keyof LocalServicesOptions;
  const expected = issue?.message ?? '';
  const value = name === 'smtp' ? '…' : JSON.stringify(given[name]);
  return new LocalServicesError(
    'LOCAL_SERVICES_FAILED',
    `The option ${name} of the local services is ${value}; expected ${expected}.`,
    `Give ${name} as ${expected}, or leave it out.`,
  );
}
