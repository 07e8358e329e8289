/** Commands that show what is there: `ui`, `open`, `logs` and `version`. */
import { checkedName } from '../manifest/name.ts';
import type { CommandLine } from './command-line.ts';
import type { TreeFlags } from './find-tree.ts';
import type { CommonFlags } from './flags.ts';

export function addLookCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('ui')
    .description(
      'open the Temporal UI; the embedded server runs until Ctrl-C, and nothing is submitted',
    )
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags: CommonFlags) => (await import('./ui.ts')).ui(flags)));

  program
    .command('open')
    .description('open the report of a campaign in the browser')
    .argument('<name>', '', checkedName)
    .option('--out <dir>', 'output folder (default: where the campaign ran)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: TreeFlags) =>
        (await import('./open.ts')).open(name, flags),
      ),
    );

  program
    .command('logs')
    .description('what was logged of a campaign, or what became of one of its items')
    .argument('<name>', '', checkedName)
    .argument(
      '[id]',
      'an item: with its attempts, and the log of its job where the service gave one',
    )
    .option('--out <dir>', 'output folder (default: where the campaign ran)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, id: string | undefined, flags: TreeFlags) =>
        (await import('./logs.ts')).logs(name, id, flags),
      ),
    );

  program
    .command('version')
    .description('the versions of hundredfold, Node and the Temporal CLI')
    .addOption(json())
    .action(ending(async (flags: CommonFlags) => (await import('./version.ts')).version(flags)));
}
