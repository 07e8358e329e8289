/** Commands for whoever runs the Temporal server: `setup temporal`, `codec-server` and `deployment`. */
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../config/duration.ts';
import type { CodecServerFlags } from './codec-server.ts';
import { checkedName } from '../manifest/name.ts';
import type { CommandLine } from './command-line.ts';
import type { MoveFlags } from './move.ts';
import type { SetupFlags } from './setup-temporal.ts';

export function addTemporalCommands(line: CommandLine): void {
  addSetup(line);
  addDeployment(line);
  addMove(line);
}

function addMove({ program, config, ending }: CommandLine): void {
  program
    .command('move')
    .description('let an open campaign of the embedded server go on in a Temporal of your own')
    .argument('<name>', '', checkedName)
    .requiredOption('--to <file>', 'configuration that names the other server')
    .addOption(config())
    .action(
      ending(async (name: string, flags: MoveFlags) =>
        (await import('./move.ts')).move(name, flags),
      ),
    );
}

function addDeployment({ program, config, json, ending }: CommandLine): void {
  const deployment = program
    .command('deployment')
    .description('versions of the program side by side, while campaigns are open');
  deployment
    .command('status')
    .description('the versions that Temporal has seen workers of')
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags) => (await import('./deployment.ts')).deploymentStatus(flags)));
  deployment
    .command('promote')
    .description('make a version current: open campaigns move to it')
    .argument('[build]', 'default: that of this program')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (build, flags) => (await import('./deployment.ts')).promote(build, flags)),
    );
  deployment
    .command('rollback')
    .description('make that version current again that was before')
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags) => (await import('./deployment.ts')).rollback(flags)));
}

function addSetup({ program, config, json, ending }: CommandLine): void {
  const setup = program
    .command('setup')
    .description('fetch the embedded Temporal server, which the first campaign would fetch')
    .action(ending(async () => (await import('./setup.ts')).setup()));
  setup
    .command('temporal')
    .description('create what a Temporal server lacks: namespace, retention, search attributes')
    .option('--namespace <name>', 'namespace (default: temporal.namespace, or "default")')
    .option(
      '--retention <time>',
      'how long ended workflows are kept at least',
      retention,
      retention('30d'),
    )
    .option('--dry-run', 'say what would be done, with the commands for an administrator')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (flags: SetupFlags) =>
        (await import('./setup-temporal.ts')).setupTemporal(flags),
      ),
    );
  program
    .command('codec-server')
    .description('decrypt for the Temporal UI and CLI what temporal.codec has encrypted')
    .requiredOption('--ui-origin <url>', 'origin of the Temporal UI, whose pages may ask', origin)
    .option('--port <n>', 'port to listen on', port, 8234)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(config())
    .action(
      ending(async (flags: CodecServerFlags) =>
        (await import('./codec-server.ts')).codecServer(flags),
      ),
    );
}

/** Temporal takes no retention below an hour, and keeps whole seconds. */
function retention(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms >= 3_600_000) return Math.round(ms / 1_000) * 1_000;
  throw new InvalidArgumentError('Write it as 30d or 72h; an hour at least.');
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a number up to 65535; 0 takes any that is free.');
}

/** As a browser sends it: scheme, host and port. */
function origin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '')
    return url.origin;
  throw new InvalidArgumentError('Write it as http://localhost:8233, without a path.');
}
