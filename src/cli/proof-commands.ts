/** The command lines of `verify` and `deposit`: results that can be handed on. */
import { Option } from 'commander';
import type { CommandLine } from './command-line.ts';
import type { DepositFlags } from './deposit.ts';
import type { VerifyFlags } from './verify.ts';

export function addProofCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('verify')
    .description('compare digests, tables, summary and crate of a campaign with its items')
    .argument('<name>', 'a campaign, or the folder or s3:// address of its tree')
    .addOption(
      new Option(
        '--recompute <share>',
        'compute results again with the engines of this machine: 1% of them, or 20',
      ).conflicts('items'),
    )
    .option('--items <id...>', 'compute the results of these items again')
    .option('--seed <text>', 'chooses the same sample each time (default: another one each time)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: VerifyFlags) =>
        (await import('./verify.ts')).verify(name, flags),
      ),
    );
  program
    .command('deposit')
    .description('a folder with what a repository takes: metadata to complete, and the archive')
    .argument('<name>', 'a campaign, or the folder or s3:// address of its tree')
    .option('--zip', 'write the archive: a BagIt bag with all files of the tree')
    .option('--out <dir>', 'folder for it (default: ./NAME-deposit)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: DepositFlags) =>
        (await import('./deposit.ts')).deposit(name, flags),
      ),
    );
}
