/** The command lines of `verify` and `deposit`. */
import { Option } from 'commander';
import type { CommandLine } from './command-line.ts';
import type { DepositFlags } from '../commands/deposit.ts';
import type { VerifyFlags } from '../commands/verify.ts';

export function addProofCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('verify')
    .description('check digests, tables, summary and crate of a campaign against its items')
    .argument('<name>', 'a campaign, or the folder or s3:// address of its tree')
    .addOption(
      new Option(
        '--recompute <share>',
        'compute a sample again with the engines of this machine, such as 1% or 20',
      ).conflicts('items'),
    )
    .option('--items <id...>', 'compute the results of these items again')
    .option('--seed <text>', 'seed of the sample, to repeat it (default: random)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: VerifyFlags) =>
        (await import('../commands/verify.ts')).verify(name, flags),
      ),
    );
  program
    .command('deposit')
    .description(
      'write the files for a deposit in a repository: metadata to complete, and the archive',
    )
    .argument('<name>', 'a campaign, or the folder or s3:// address of its tree')
    .option('--zip', 'write the archive: a BagIt bag with all files of the tree')
    .option('--out <dir>', 'folder for it (default: ./NAME-deposit)')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: DepositFlags) =>
        (await import('../commands/deposit.ts')).deposit(name, flags),
      ),
    );
}
