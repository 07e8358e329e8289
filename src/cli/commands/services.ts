/** `hundredfold services`: runs the two local services in the foreground. */
import { Command, Option } from 'commander';
import { pino } from 'pino';
import { EXIT } from '../../domain/errors.ts';
import { startServices } from '../../temporal/host/local.ts';
import { say } from '../terminal.ts';
import { waitForSignal } from '../interruption.ts';
import { call, parseCount, parsePort, parseTime } from '../options.ts';

const perWindow = (what: string): string => `jobs per window and ${what}; 0: no limit`;

export const commands = [
  new Command('services')
    .description('run the two local services in the foreground')
    .option('--port <n>', 'port to listen on', parsePort, 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--database <file>', 'SQLite file for the jobs', 'services.db')
    .addOption(
      new Option(
        '--engine <engine>',
        'engine for the jobs (default: real if installed, else recorded)',
      ).choices(['real', 'recorded', 'synthetic']),
    )
    .addOption(
      new Option('--variant <variant>', 'interface of the prediction service')
        .choices(['current', 'earlier'])
        .default('current'),
    )
    .option('--limit <n>', perWindow('token of the prediction service'), parseCount, 100)
    .option('--molecule-limit <n>', perWindow('token of the molecule service'), parseCount, 0)
    .option('--window <time>', 'length of the rolling window (default: 60m)', parseTime)
    .option('--address-limit <n>', perWindow('network address'), parseCount)
    .option('--job-time <time>', 'run time of a job', parseTime)
    .option(
      '--concurrency <n>',
      'jobs that run at the same time; 0: no limit (default: one per core with a real engine, else 2 per service)',
      parseCount,
    )
    .option('--retry-after <seconds>', 'Retry-After of unfinished jobs', parseCount, 5)
    .option(
      '--smtp <url>',
      'SMTP server for mail about molecule jobs, smtp://host:port (default: a note in the log)',
    )
    .option('--fault-control', 'allow clients to switch on faults under /_faults, for tests')
    .addHelpText(
      'after',
      `
One log line a request on stderr, without tokens and ids.`,
    )
    .action(call(runServices)),
];

/** As parsed: numbers, and times in ms. What is not given has the default of the services. */
interface ServicesFlags extends Pick<
  Parameters<typeof startServices>[0],
  'host' | 'limit' | 'moleculeLimit' | 'variant' | 'addressLimit' | 'concurrency' | 'smtp'
> {
  readonly port: number;
  readonly database: string;
  readonly engine?: 'real' | 'recorded' | 'synthetic';
  readonly window?: number;
  readonly retryAfter: number;
  readonly jobTime?: number;
  readonly faultControl?: boolean;
}

async function runServices(flags: ServicesFlags): Promise<number> {
  const { window, retryAfter, jobTime, faultControl, ...others } = flags;
  const services = await startServices({
    ...others,
    engine: flags.engine ?? 'installed',
    windowMs: window,
    retryAfterSeconds: retryAfter,
    jobMs: jobTime,
    allowFaultControl: faultControl,
    log: pino({ level: 'info' }, pino.destination(2)),
  });
  const { molecules, predictions } = services.engines;
  say(`molecules:   ${services.moleculesUrl}   ({mol_base_url}); ${molecules}`);
  say(`predictions: ${services.url}   ({base_url}); ${predictions}`);
  if (flags.engine === undefined) printMissing([molecules, predictions]);
  say(`jobs in ${flags.database}; Ctrl-C stops the services and keeps the jobs.`);
  await waitForSignal();
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
