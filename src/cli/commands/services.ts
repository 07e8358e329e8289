/** `hundredfold services`: runs the two local services in the foreground. */
import { pino } from 'pino';
import { parseDuration } from '../../domain/units.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { startServices } from '../../temporal/host/local.ts';
import { say } from '../text/output.ts';

interface ServicesFlags {
  readonly port: string;
  readonly host: string;
  readonly database: string;
  readonly engine?: 'real' | 'recorded' | 'synthetic';
  readonly variant: 'current' | 'earlier';
  readonly limit: string;
  readonly moleculeLimit: string;
  readonly window: string;
  readonly addressLimit?: string;
  readonly jobTime?: string;
  readonly concurrency?: string;
  readonly retryAfter: string;
  readonly jobTimeLimit: string;
  readonly smtp?: string;
  readonly faultControl?: boolean;
}

export async function services(flags: ServicesFlags): Promise<number> {
  const services = await startServices({
    port: parseNumber('--port', flags.port),
    host: flags.host,
    database: flags.database,
    engine: flags.engine ?? 'installed',
    variant: flags.variant,
    limit: parseNumber('--limit', flags.limit),
    moleculeLimit: parseNumber('--molecule-limit', flags.moleculeLimit),
    windowMs: parseDurationOption('--window', flags.window),
    retryAfterSeconds: parseNumber('--retry-after', flags.retryAfter),
    timeLimitSeconds: parseDurationOption('--job-time-limit', flags.jobTimeLimit) / 1000,
    ...(flags.smtp === undefined ? {} : { smtp: flags.smtp }),
    allowFaultControl: flags.faultControl ?? false,
    log: pino({ level: 'info' }, pino.destination(2)),
    ...(flags.concurrency === undefined
      ? {}
      : { concurrency: parseNumber('--concurrency', flags.concurrency) }),
    ...(flags.addressLimit === undefined
      ? {}
      : { addressLimit: parseNumber('--address-limit', flags.addressLimit) }),
    ...(flags.jobTime === undefined
      ? {}
      : { jobMs: parseDurationOption('--job-time', flags.jobTime) }),
  });
  const { molecules, predictions } = services.engines;
  say(`molecules:   ${services.moleculesUrl}   ({mol_base_url}); ${molecules}`);
  say(`predictions: ${services.url}   ({base_url}); ${predictions}`);
  if (flags.engine === undefined) printMissing([molecules, predictions]);
  say(`public jobs: ${services.moleculesUrl}/`);
  say(`jobs in ${flags.database}; Ctrl-C stops the services and keeps the jobs.`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await services.close();
  return EXIT.ok;
}

/** A user who did not choose an engine may not know that there are real ones. */
function printMissing(statements: readonly string[]): void {
  if (statements.every((statement) => statement.startsWith('engine: real'))) return;
  say(
    'Only the inputs of batches/ have recorded answers; `npm run engines` installs the real engines.',
  );
}

function parseNumber(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw createUsageError(option, text, 'a number, 0 or above');
}

function parseDurationOption(option: string, text: string): number {
  const value = parseDuration(text);
  if (value !== null) return value;
  throw createUsageError(option, text, 'a length of time: 500ms, 10s, 60m or 1h');
}

function createUsageError(option: string, text: string, wanted: string): HundredfoldError {
  return new HundredfoldError('USAGE', `${option} is "${text}"`, `Give ${wanted}.`);
}
