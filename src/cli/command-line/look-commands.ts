/** Commands that only show something: `items`, `ui` and `logs`. */
import { Option } from 'commander';
import { checkedName } from '../../domain/name.ts';
import { FINAL_STATES, OPEN_STATES } from '../../domain/states.ts';
import { kindNames } from '../../kinds/registry.ts';
import type { CommandLine } from './command-line.ts';
import type { TreeFlags } from '../session.ts';
import type { ItemsFlags } from '../commands/items.ts';
import { suggest, type CommonFlags } from './flags.ts';

export function addItemsCommand({ program, config, json, ending }: CommandLine): void {
  program
    .command('items')
    .description('list the items of a campaign')
    .argument('[name]', 'campaign (default: the newest)', checkedName)
    .addOption(
      new Option('--state <state>', 'only items in this state').choices([
        ...OPEN_STATES,
        ...FINAL_STATES,
      ]),
    )
    .addOption(suggest(new Option('--kind <kind>', 'only items of this kind'), kindNames()))
    .option('--code <code>', 'only items with this error code')
    .option('--out <dir>', 'output folder (default: where the campaign ran)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string | undefined, flags: ItemsFlags) =>
        (await import('../commands/items.ts')).items(name, flags),
      ),
    );
}

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
    .argument('[name]', 'campaign (default: the newest)', checkedName)
    .argument('[id]', 'item; prints its attempts, and the log of its job if the service has one')
    .option('--out <dir>', 'output folder (default: where the campaign ran)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string | undefined, id: string | undefined, flags: TreeFlags) =>
        (await import('../commands/logs.ts')).logs(name, id, flags),
      ),
    );
}
