/** The commands about servers: what runs, what is wrong, and your own Temporal server, workers and services. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../domain/units.ts';
import { config, json, loadLazily, local } from './options.ts';

export function addServers(program: Command): void {
  program
    .command('doctor')
    .description('check runtime, Temporal, services, credentials, output store and ledger')
    .option('--service <name>', 'try a service, or a plugin file, with every kind of answer')
    .option(
      '--url <address>',
      'with --service: run one job of each kind at a double on this machine',
    )
    .addOption(local())
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/doctor.ts')).doctor));
  program
    .command('ui')
    .description('open the Temporal UI; the embedded server runs until Ctrl-C and submits nothing')
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/ui.ts')).ui));
  program
    .command('stop')
    .description('stop the embedded server that runs in the background')
    .addOption(config())
    .action(loadLazily(async () => (await import('../commands/host.ts')).stop));
  program
    .command('setup')
    .description('download the embedded Temporal server (otherwise done by the first campaign)')
    .action(loadLazily(async () => (await import('../commands/host.ts')).setUpHost));
  const worker = program
    .command('worker')
    .description('run a worker for your own Temporal server')
    .addOption(config())
    .action(loadLazily(async () => (await import('../commands/worker.ts')).worker));
  for (const option of workerOptions()) worker.addOption(option);
  addServices(program);
  program
    .command('host', { hidden: true })
    .addOption(local())
    .addOption(config())
    .action(loadLazily(async () => (await import('../commands/host.ts')).serve));
}

function workerOptions(): Option[] {
  return [
    new Option('--role <role...>', 'tasks of this worker (default: all)').choices([
      ...['submit', 'fetch', 'publish', 'workflows'],
    ]),
    new Option('--identity <name>', 'its name in Temporal (default: host, process id and version)'),
    new Option(
      '--metrics-port <n>',
      'port for /metrics (Prometheus), /healthz and /readyz; 0: any free port',
    ).argParser(parsePort),
    new Option('--metrics-host <address>', 'address for these endpoints (default: 127.0.0.1)'),
    new Option('--log-format <format>', 'format of the log on stderr (default: text)').choices([
      'text',
      'json',
    ]),
  ];
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

function addServices(program: Command): void {
  const command = program
    .command('services')
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
    );
  addLimits(command);
  addSurroundings(command);
  command
    .addHelpText(
      'after',
      `
Public jobs are listed under /acpype/. One log line a request on stderr, without tokens and ids.`,
    )
    .action(loadLazily(async () => (await import('../commands/services.ts')).services));
}

function addLimits(command: Command): void {
  const perWindow = (what: string) => `jobs per window and ${what}; 0: no limit`;
  command
    .option('--limit <n>', perWindow('token of the prediction service'), parseCount, 100)
    .option('--window <time>', 'length of the rolling window (default: 60m)', parseTime)
    .option('--molecule-limit <n>', perWindow('token of the molecule service'), parseCount, 0)
    .option('--address-limit <n>', perWindow('network address'), parseCount)
    .option('--job-time <time>', 'run time of a job', parseTime)
    .option(
      '--concurrency <n>',
      'jobs that run at the same time; 0: no limit (default: one per core with a real engine, else 2 per service)',
      parseCount,
    )
    .option('--retry-after <seconds>', 'Retry-After of unfinished jobs', parseCount, 5)
    .option('--job-time-limit <time>', 'time limit of a job (default: 1h)', parseTime);
}

function parseCount(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a number, 0 or above.');
}

function parseTime(text: string): number {
  const value = parseDuration(text);
  if (value !== null) return value;
  throw new InvalidArgumentError('It must be a length of time: 500ms, 10s, 60m or 1h.');
}

/** Options for the environment of the services. */
function addSurroundings(command: Command): void {
  command.option('--fault-control', 'allow clients to switch on faults under /_faults, for tests');
}
