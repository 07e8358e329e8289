/** The command lines of `pull` and `push`. */
import type { Command } from 'commander';
import { checkedName } from '../../manifest/checked-name.ts';
import type { CommandLine } from './command-line.ts';
import type { PushFlags } from '../commands/transfer.ts';

export function addTransferCommands({ program, config, json, ending }: CommandLine): void {
  const transfer = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<name>', '', checkedName)
      .option('--out <dir>', 'folder on this machine (default: ./results)')
      .option(
        '--where <condition...>',
        'only items with this state=…, kind=…, code=… or id=…; separate values with commas',
      )
      .addOption(config())
      .addOption(json());
  transfer(
    'pull',
    'copy the output tree of a campaign, or a part of it, from its store to disk',
  ).action(
    ending(async (name: string, flags: PushFlags) =>
      (await import('../commands/transfer.ts')).pull(name, flags),
    ),
  );
  transfer('push', 'copy an output tree, or a part of it, from disk to the store')
    .option('--replace', 'overwrite files in the store that differ')
    .action(
      ending(async (name: string, flags: PushFlags) =>
        (await import('../commands/transfer.ts')).push(name, flags),
      ),
    );
}
