/** The commands about servers: what runs, what is wrong, and your own Temporal server, workers and services. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { config, json, loadLazily, local } from './options.ts';

export function addServers(program: Command): void {
  program
    .command('doctor')
    .description('check runtime, Temporal, services, credentials, output store and engines')
    .option('--temporal', 'check only the Temporal server: access, namespace, permissions, workers')
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
    .option('--port <n>', 'port to listen on', '8080')
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
  command
    .option(
      '--limit <n>',
      'jobs per window and token of the prediction service; 0: no limit',
      '100',
    )
    .option('--window <time>', 'length of the rolling window', '60m')
    .option(
      '--molecule-limit <n>',
      'jobs per window and token of the molecule service; 0: no limit',
      '0',
    )
    .option('--address-limit <n>', 'jobs per window and network address; 0: no limit')
    .option('--job-time <time>', 'run time of a job')
    .option(
      '--concurrency <n>',
      'jobs that run at the same time; 0: no limit (default: one per core with a real engine, else 2 per service)',
    )
    .option('--retry-after <seconds>', 'Retry-After of unfinished jobs', '5')
    .option('--job-time-limit <time>', 'time limit of a job', '1h');
}

/** Options for the environment of the services. */
function addSurroundings(command: Command): void {
  command
    .option(
      '--smtp <url>',
      'SMTP server for mail about molecule jobs, smtp://host:port (default: a note in the log)',
    )
    .option('--fault-control', 'allow clients to switch on faults under /_faults, for tests');
}
