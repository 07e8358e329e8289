/** The commands of every day: from a manifest to the end of its campaign. */
import { Argument, type Command, Option } from 'commander';
import { checkName } from '../../domain/name.ts';
import { listKindNames } from '../../kinds/registry.ts';
import { listServiceNames } from '../../services/registry.ts';
import {
  config,
  detach,
  json,
  loadLazily,
  local,
  MANIFESTS,
  NEWEST,
  newTrees,
  noWorker,
  priority,
  suggest,
  treesThere,
} from './options.ts';
import { addRowOptions } from './rows.ts';

const RETRY_HELP = `
A job that was accepted before is polled first, which uses no slot. A new job is submitted only if the old one cannot
be used. A held molecule may already have a job at the service that cannot be found: it is submitted again and may
become a duplicate job. --failed leaves held items out.`;

export function addEveryDay(program: Command): void {
  program
    .command('init')
    .description(
      'create a starter folder with configuration, manifest and inputs; overwrites nothing',
    )
    .argument('[dir]', 'folder, created if missing', '.')
    .action(loadLazily(async () => (await import('../commands/init.ts')).init));
  addPlan(program);
  addRun(program);
  addLooks(program);
  addControl(program);
  addRetry(program);
  addAdopt(program);
}

function addPlan(program: Command): void {
  program
    .command('plan')
    .description('check everything and print what a run would do; submits nothing')
    .argument('<manifest...>', MANIFESTS)
    .addOption(newTrees())
    .option('--name <name>', 'name of the campaign (default: from the manifest)', checkName)
    .option('--allow-outside', 'allow the manifest to name files outside its folder')
    .option('--skip-invalid', 'plan for the valid rows if some are invalid')
    .option('--no-cache', 'plan without results of earlier campaigns')
    .option(
      '--fixes <file>',
      'write the table with likely corrections, such as salts to their largest part',
    )
    .addOption(local())
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/plan.ts')).plan));
}

function addRun(program: Command): void {
  program
    .command('run')
    .description(
      'check the manifests, start or resume the campaign, and show progress until it ends',
    )
    .argument('<manifest...>', MANIFESTS)
    .addOption(newTrees())
    .option('--name <name>', 'name of the campaign (default: from the manifest)', checkName)
    .option('--allow-outside', 'allow the manifest to name files outside its folder')
    .option(
      '--skip-invalid',
      'run the valid rows if some are invalid; failed.csv lists the invalid ones',
    )
    .option(
      '--no-cache',
      'do not reuse results of earlier campaigns, and do not keep those of this one',
    )
    .addOption(detach())
    .addOption(noWorker())
    .option('-y, --yes', 'do not ask for confirmation if the campaign takes more than an hour')
    .addOption(priority())
    .addOption(local())
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/run.ts')).run));
}

function addLooks(program: Command): void {
  program
    .command('status')
    .description('show a campaign and what blocks it; without a name: all campaigns and budgets')
    .argument('[name]', '', checkName)
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/status.ts')).status));
  addRowOptions(
    program
      .command('items')
      .description('list the items of a campaign')
      .argument('[name]', NEWEST, checkName),
  )
    .addOption(treesThere())
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/items.ts')).items));
  program
    .command('watch')
    .description('show a live view of a campaign until it ends')
    .argument('[name]', NEWEST, checkName)
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/control.ts')).watch));
}

function addControl(program: Command): void {
  program
    .command('pause')
    .description('pause a campaign: submit nothing until it is resumed')
    .argument('<name>', '', checkName)
    .addOption(config())
    .action(loadLazily(async () => (await import('../commands/control.ts')).pause));
  program
    .command('resume')
    .description('resume a paused campaign')
    .argument('<name>', '', checkName)
    .addOption(
      suggest(
        new Option(
          '--service <service>',
          'only this service, which was paused because its items kept failing',
        ),
        listServiceNames(),
      ),
    )
    .addOption(config())
    .action(loadLazily(async () => (await import('../commands/control.ts')).resume));
  program
    .command('cancel')
    .description('cancel a campaign; slots that were used stay used')
    .argument('<name>', '', checkName)
    .option('--abandon', 'end it at once, without tables, because its output tree is lost')
    .addOption(config())
    .action(loadLazily(async () => (await import('../commands/control.ts')).cancel));
}

function addRetry(program: Command): void {
  program
    .command('retry')
    .description('run failed, held and cancelled items again, in the same output tree')
    .argument('<name>', '', checkName)
    .addOption(new Option('--failed', 'only failed items').conflicts('item'))
    .option('--item <id...>', 'only these items, unless they succeeded')
    .addOption(treesThere())
    .addOption(detach('return when it has started'))
    .addOption(priority())
    .addOption(local())
    .addOption(config())
    .addOption(json())
    .addHelpText('after', RETRY_HELP)
    .action(loadLazily(async () => (await import('../commands/retry.ts')).retry));
}

function addAdopt(program: Command): void {
  program
    .command('adopt')
    .description(
      'adopt jobs that were submitted elsewhere as a campaign, or list them; submits nothing',
    )
    .addArgument(suggest(new Argument('<service>', 'where the jobs are'), listServiceNames()))
    .argument(
      '[id...]',
      'ids of the jobs (request_id, hash_id); without: list those that the service has for your token',
    )
    .option('--past', 'all jobs that the service has for your token and that this folder lacks')
    .addOption(
      suggest(
        new Option('--kind <kind>', 'kind of the jobs, if the service does not report it'),
        listKindNames(),
      ),
    )
    .addOption(newTrees())
    .option('--name <name>', 'name of the campaign (default: adopted-SERVICE)', checkName)
    .addOption(detach())
    .addOption(noWorker())
    .addOption(local())
    .addOption(config())
    .addOption(json())
    .action(loadLazily(async () => (await import('../commands/adopt.ts')).adopt));
}
