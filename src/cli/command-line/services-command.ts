/** `hundredfold services`: the options of the two local services. */
import { Option, type Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import type { ServicesFlags } from '../commands/services.ts';

export function addServicesCommand({ program, ending }: CommandLine): void {
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
    .action(
      ending(async (flags: ServicesFlags) =>
        (await import('../commands/services.ts')).services(flags),
      ),
    );
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
