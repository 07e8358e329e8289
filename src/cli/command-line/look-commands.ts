/** Commands that only show something: `ui` and `logs`. */
import { checkedName } from '../../domain/name.ts';
import type { CommandLine } from './command-line.ts';
import type { TreeFlags } from '../session/find-tree.ts';
import type { CommonFlags } from './flags.ts';

export function addLookCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('ui')
    .description('open the Temporal UI; the embedded server runs until Ctrl-C and submits nothing')
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags: CommonFlags) => (await import('../commands/ui.ts')).ui(flags)));

  program
    .command('logs')
    .description('print the log of a campaign, or the history of one of its items')
    .argument('<name>', '', checkedName)
    .argument('[id]', 'item; prints its attempts, and the log of its job if the service has one')
    .option('--out <dir>', 'output folder (default: where the campaign ran)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, id: string | undefined, flags: TreeFlags) =>
        (await import('../commands/logs.ts')).logs(name, id, flags),
      ),
    );
}
