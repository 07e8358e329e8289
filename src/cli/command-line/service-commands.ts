/** The command lines of `service print`. */
import { Option } from 'commander';
import { checkedName } from '../../manifest/checked-name.ts';
import type { CampaignServiceFlags, UnitFlags } from '../commands/service.ts';
import type { CommandLine } from './command-line.ts';

export function addServiceCommands({ program, config, ending }: CommandLine): void {
  const system = () =>
    new Option('--system', 'print a system unit for this account instead of a user unit');
  const print = program
    .command('service')
    .description('systemd units')
    .command('print')
    .description('print a systemd unit; nothing is installed');
  print
    .command('worker')
    .description('a worker for the configured Temporal server')
    .addOption(system())
    .addOption(config())
    .action(
      ending(async (flags: UnitFlags) =>
        (await import('../commands/service.ts')).printWorkerService(flags),
      ),
    );
  print
    .command('campaign')
    .description('a campaign with the embedded server that survives a restart of the machine')
    .argument('<manifest...>', 'as "hundredfold run" takes them')
    .option('--name <name>', 'name of the campaign (default: from the manifest)', checkedName)
    .option('--out <dir>', 'output folder (default: store.url, or ./results)')
    .addOption(new Option('--services <which>', 'use the two local services').choices(['local']))
    .addOption(system())
    .addOption(config())
    .action(
      ending(async (manifests: string[], flags: CampaignServiceFlags) =>
        (await import('../commands/service.ts')).printCampaignService(manifests, flags),
      ),
    );
}
