/** Commands for operators of a Temporal server: `setup` and `move`. */
import { checkedName } from '../../domain/name.ts';
import type { CommandLine } from './command-line.ts';
import type { MoveFlags } from '../commands/move.ts';

export function addTemporalCommands(line: CommandLine): void {
  addSetup(line);
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

function addSetup({ program, ending }: CommandLine): void {
  program
    .command('setup')
    .description('download the embedded Temporal server (otherwise done by the first campaign)')
    .action(ending(async () => (await import('../commands/setup.ts')).setup()));
}
