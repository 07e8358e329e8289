/** The command lines of `pull` and `push`. */
import type { Command } from 'commander';
import { checkedName } from '../manifest/name.ts';
import type { CommandLine } from './command-line.ts';
import type { PushFlags } from './transfer.ts';

export function addTransferCommands({ program, config, json, ending }: CommandLine): void {
  const transfer = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<name>', '', checkedName)
      .option('--out <dir>', 'folder on this machine (default: ./results)')
      .option(
        '--where <condition...>',
        'items only that state=…, kind=…, code=… or id=… holds for; several values with commas',
      )
      .addOption(config())
      .addOption(json());
  transfer(
    'pull',
    'bring the output tree of a campaign, or a part of it, from its store to disk',
  ).action(
    ending(async (name: string, flags: PushFlags) =>
      (await import('./transfer.ts')).pull(name, flags),
    ),
  );
  transfer('push', 'bring an output tree, or a part of it, from disk to the store')
    .option('--replace', 'write over files that have another content in the store')
    .action(
      ending(async (name: string, flags: PushFlags) =>
        (await import('./transfer.ts')).push(name, flags),
      ),
    );
}
