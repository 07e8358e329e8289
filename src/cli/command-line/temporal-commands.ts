/** Commands for operators of a Temporal server: `setup temporal`, `codec-server` and `deployment`. */
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../config/duration.ts';
import type { CodecServerFlags } from '../commands/codec-server.ts';
import { checkedName } from '../../manifest/checked-name.ts';
import type { CommandLine } from './command-line.ts';
import type { MoveFlags } from '../commands/move.ts';
import type { SetupFlags } from '../commands/setup-temporal.ts';

export function addTemporalCommands(line: CommandLine): void {
  addSetup(line);
  addDeployment(line);
  addMove(line);
}

function addMove({ program, config, ending }: CommandLine): void {
  program
    .command('move')
    .description('move an open campaign from the embedded server to your own Temporal server')
    .argument('<name>', '', checkedName)
    .requiredOption('--to <file>', 'configuration that names the other server')
    .addOption(config())
    .action(
      ending(async (name: string, flags: MoveFlags) =>
        (await import('../commands/move.ts')).move(name, flags),
      ),
    );
}

function addDeployment({ program, config, json, ending }: CommandLine): void {
  const deployment = program
    .command('deployment')
    .description('manage worker versions while campaigns are open');
  deployment
    .command('status')
    .description('list the worker versions that Temporal knows')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (flags) => (await import('../commands/deployment.ts')).deploymentStatus(flags)),
    );
  deployment
    .command('promote')
    .description('make a version current; open campaigns move to it')
    .argument('[build]', 'default: the version of this program')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (build, flags) =>
        (await import('../commands/deployment.ts')).promote(build, flags),
      ),
    );
  deployment
    .command('rollback')
    .description('make the previous version current again')
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags) => (await import('../commands/deployment.ts')).rollback(flags)));
}

function addSetup({ program, config, json, ending }: CommandLine): void {
  const setup = program
    .command('setup')
    .description('download the embedded Temporal server (otherwise done by the first campaign)')
    .action(ending(async () => (await import('../commands/setup.ts')).setup()));
  setup
    .command('temporal')
    .description('create what a Temporal server lacks: namespace, retention, search attributes')
    .option('--namespace <name>', 'namespace (default: temporal.namespace, or "default")')
    .addOption(
      new Option('--retention <time>', 'minimum time that ended workflows are kept')
        .argParser(retention)
        .default(retention('30d'), '30d'),
    )
    .option('--dry-run', 'print what would be done, and the commands for an administrator')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (flags: SetupFlags) =>
        (await import('../commands/setup-temporal.ts')).setupTemporal(flags),
      ),
    );
  program
    .command('codec-server')
    .description('decrypt payloads for the Temporal UI and CLI (temporal.codec)')
    .requiredOption(
      '--ui-origin <url>',
      'origin of the Temporal UI; only its pages may read answers',
      origin,
    )
    .option('--port <n>', 'port to listen on', port, 8234)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(config())
    .action(
      ending(async (flags: CodecServerFlags) =>
        (await import('../commands/codec-server.ts')).codecServer(flags),
      ),
    );
}

/** Temporal accepts no retention below an hour, and stores whole seconds. */
function retention(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms >= 3_600_000) return Math.round(ms / 1_000) * 1_000;
  throw new InvalidArgumentError('Write it as 30d or 72h; at least an hour.');
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a number up to 65535; 0: any free port.');
}

/** As a browser sends it: scheme, host and port. */
function origin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '')
    return url.origin;
  throw new InvalidArgumentError('Write it as http://localhost:8233, without a path.');
}
