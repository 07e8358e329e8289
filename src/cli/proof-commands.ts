/** The command lines of `verify` and `deposit`: results that can be handed on. */
import type { CommandLine } from './command-line.ts';
import type { DepositFlags } from './deposit.ts';
import type { CommonFlags } from './flags.ts';

export function addProofCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('verify')
    .description('compare digests, tables, summary and crate of a campaign with its items')
    .argument('<name>', 'a campaign, or the folder or s3:// address of its tree')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: CommonFlags) =>
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
