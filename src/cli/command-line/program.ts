/** All commands with their options: one file per command, loaded when it is called. */
import { join } from 'node:path';
import { existsSync, readdirSync } from 'node:fs';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { LOCAL_NAMES } from '../../host/local-settings.ts';
import { checkedName } from '../../domain/name.ts';
import { programVersion } from '../../program/files.ts';
import { ending } from './ending.ts';
import { addExportCommand } from './export-command.ts';
import { addItemsCommand, addLookCommands } from './look-commands.ts';
import { addServicesCommand } from './services-command.ts';
import { setVerbosity } from '../text/verbosity.ts';
import { workerOptions } from './worker-options.ts';
import type { CommandLine } from './command-line.ts';
import { suggest, type CommonFlags } from './flags.ts';
import type { PullFlags } from '../commands/pull.ts';
import { PREPARED_CAMPAIGN } from '../../store/layout.ts';
import { kindNames } from '../../kinds/registry.ts';
import { serviceNames } from '../../services/registry.ts';
import tab from '@bomb.sh/tab/commander';

export const program = new Command('hundredfold')
  .description(
    'Runs batches of molecules, sequences, alignments and NMR shifts through job services.',
  )
  .version(programVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this')
  .option('-q, --quiet', 'print only errors on stderr')
  .option('-v, --verbose', 'also print the worker log on stderr')
  .showHelpAfterError(
    '(hundredfold --help lists the commands, hundredfold run --help the options.)',
  )
  .exitOverride()
  .hook('preAction', (_, command) => setVerbosity(command.optsWithGlobals()));

const config = () =>
  new Option('--config <file>', 'configuration (default: hundredfold.yaml, or HUNDREDFOLD_CONFIG)');
const json = () => new Option('--json', 'print one JSON document on stdout');
const local = () =>
  new Option(
    '--services <which>',
    'services of this project: local has recorded results for its examples, synthetic makes up results for any input',
  ).choices(LOCAL_NAMES);
const priority = () =>
  new Option(
    '--priority <n>',
    'among campaigns with the same token, from 1 (first) to 5 (last) (default: 3)',
  ).argParser((text) => {
    if (!/^[1-5]$/.test(text)) throw new InvalidArgumentError('It must be 1, 2, 3, 4 or 5.');
    return Number(text);
  });

const MANIFESTS =
  'tables (CSV, TSV, JSONL, JSON, YAML), input files (.smi, FASTA, SD files, …), folders or patterns';

const RETRY_HELP = `
A job that was accepted before is polled first, which uses no slot. A new job is submitted only if the old one cannot
be used. A held molecule may already have a job at the service that cannot be found: it is submitted again and may
become a duplicate job. --failed leaves held items out.`;

program
  .command('init')
  .description(
    'create a starter folder with configuration, manifest and inputs; overwrites nothing',
  )
  .argument('[dir]', 'folder, created if missing', '.')
  .action(ending(async (dir) => (await import('../commands/init.ts')).init(dir)));

program
  .command('run')
  .description('check the manifests, start or resume the campaign, and show progress until it ends')
  .argument('<manifest...>', MANIFESTS)
  .option('--out <dir>', 'output folder (default: store.url, or ./results)')
  .option('--name <name>', 'name of the campaign (default: from the manifest)', checkedName)
  .option('--allow-outside', 'allow the manifest to name files outside its folder')
  .option(
    '--skip-invalid',
    'run the valid rows if some are invalid; failed.csv lists the invalid ones',
  )
  .option(
    '--no-cache',
    'do not reuse results of earlier campaigns, and do not keep those of this one',
  )
  .option('--detach', 'return when the campaign has started')
  .option('--no-worker', 'with your own Temporal server: leave all work to its workers')
  .option('-y, --yes', 'do not ask for confirmation if the campaign takes more than an hour')
  .option(
    '--assume-used <n>',
    'jobs of the present window that a lost server has sent, if nothing here shows them',
    (text) => {
      if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a number of jobs.');
      return Number(text);
    },
  )
  .addOption(priority())
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (manifests, flags) => (await import('../commands/run.ts')).run(manifests, flags)),
  );

program
  .command('plan')
  .description('check everything and print what a run would do; submits nothing')
  .argument('<manifest...>', MANIFESTS)
  .option('--out <dir>', 'output folder (default: store.url, or ./results)')
  .option('--name <name>', 'name of the campaign (default: from the manifest)', checkedName)
  .option('--allow-outside', 'allow the manifest to name files outside its folder')
  .option('--skip-invalid', 'plan for the valid rows if some are invalid')
  .option('--no-cache', 'plan without results of earlier campaigns')
  .option('--explain', 'print what would happen to each row, and why')
  .option(
    '--fixes <file>',
    'write the table with likely corrections, such as salts to their largest part',
  )
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (manifests, flags) =>
      (await import('../commands/plan.ts')).plan(manifests, flags),
    ),
  );

program
  .command('adopt')
  .description(
    'adopt jobs that were submitted elsewhere as a campaign, or list them; submits nothing',
  )
  .addArgument(suggest(new Argument('<service>', 'where the jobs are'), serviceNames()))
  .argument(
    '[id...]',
    'ids of the jobs (request_id, hash_id); without: list those that the service has for your token',
  )
  .option('--past', 'all jobs that the service has for your token and that this folder lacks')
  .addOption(
    suggest(
      new Option('--kind <kind>', 'kind of the jobs, if the service does not report it'),
      kindNames(),
    ),
  )
  .option('--out <dir>', 'output folder (default: store.url, or ./results)')
  .option('--name <name>', 'name of the campaign (default: adopted-SERVICE-DATE)', checkedName)
  .option('--detach', 'return when the campaign has started')
  .option('--no-worker', 'with your own Temporal server: leave all work to its workers')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (service, ids, flags) =>
      (await import('../commands/adopt.ts')).adopt(service, ids, flags),
    ),
  );

program
  .command('status')
  .description('show a campaign and what blocks it; without a name: all campaigns and budgets')
  .argument('[name]', '', checkedName)
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (name, flags) => (await import('../commands/status.ts')).status(name, flags)),
  );

addItemsCommand({ program, config, json, ending });

program
  .command('watch')
  .description('show a live view of a campaign until it ends')
  .argument('[name]', 'campaign (default: the newest)', checkedName)
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('../commands/watch.ts')).watch(name, flags)));

program
  .command('pause')
  .description('pause a campaign: submit nothing until it is resumed')
  .argument('<name>', '', checkedName)
  .addOption(config())
  .action(ending(async (name, flags) => (await import('../commands/pause.ts')).pause(name, flags)));

program
  .command('resume')
  .description('resume a paused campaign')
  .argument('<name>', '', checkedName)
  .addOption(
    suggest(
      new Option(
        '--service <service>',
        'only this service, which was paused because its items kept failing',
      ),
      serviceNames(),
    ),
  )
  .addOption(config())
  .action(
    ending(async (name, flags) => (await import('../commands/pause.ts')).resume(name, flags)),
  );

program
  .command('cancel')
  .description('cancel a campaign; slots that were used stay used')
  .argument('<name>', '', checkedName)
  .option('--abandon', 'end it at once, without tables, because its output tree is lost')
  .addOption(config())
  .action(
    ending(async (name, flags) => (await import('../commands/cancel.ts')).cancel(name, flags)),
  );

program
  .command('retry')
  .description('run failed, held and cancelled items again, in the same output tree')
  .argument('<name>', '', checkedName)
  .addOption(new Option('--failed', 'only failed items').conflicts('item'))
  .option('--item <id...>', 'only these items, unless they succeeded')
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .option('--detach', 'return when it has started')
  .addOption(priority())
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .addHelpText('after', RETRY_HELP)
  .action(ending(async (name, flags) => (await import('../commands/retry.ts')).retry(name, flags)));

program
  .command('report')
  .description('rebuild the tables and report.html of a campaign from its output tree')
  .argument('[name]', 'campaign (default: the newest)', checkedName)
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .option('--open', 'show the report in the browser')
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (name, flags) => (await import('../commands/report.ts')).report(name, flags)),
  );

addTransferCommands({ program, config, json, ending });
addExportCommand({ program, config, json, ending });
addProofCommands({ program, config, json, ending });

const workerCommand = program
  .command('worker')
  .description('run a worker for your own Temporal server')
  .addOption(config())
  .action(ending(async (flags) => (await import('../commands/worker.ts')).worker(flags)));
for (const option of workerOptions()) workerCommand.addOption(option);

addLookCommands({ program, config, json, ending });

addServicesCommand({ program, config, json, ending });

program
  .command('doctor')
  .description('check runtime, Temporal, services, credentials, output store and engines')
  .option('--temporal', 'check only the Temporal server: access, namespace, permissions, workers')
  .option('--service <name>', 'try a service, or a plugin file, with every kind of answer')
  .option('--url <address>', 'with --service: run one job of each kind at a double on this machine')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(ending(async (flags) => (await import('../commands/doctor.ts')).doctor(flags)));

program
  .command('setup')
  .description('download the embedded Temporal server (otherwise done by the first campaign)')
  .action(ending(async () => (await import('../commands/setup.ts')).setup()));

program
  .command('stop')
  .description('stop the embedded server that runs in the background')
  .addOption(config())
  .action(ending(async (flags) => (await import('../commands/stop.ts')).stop(flags)));

program
  .command('host', { hidden: true })
  .addOption(local())
  .addOption(config())
  .action(ending(async (flags) => (await import('../commands/host.ts')).serve(flags)));

addCompletion(program);

/** The command line of `verify`. */
function addProofCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('verify')
    .description('check digests, tables, summary and crate of a campaign against its items')
    .argument(
      '[name]',
      'a campaign (default: the newest), or the folder or s3:// address of its tree',
    )
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string | undefined, flags: CommonFlags) =>
        (await import('../commands/verify.ts')).verify(name, flags),
      ),
    );
}

/** The command line of `pull`. */
function addTransferCommands({ program, config, json, ending }: CommandLine): void {
  program
    .command('pull')
    .description('copy the output tree of a campaign, or a part of it, from its store to disk')
    .argument('<name>', '', checkedName)
    .option('--out <dir>', 'folder on this machine (default: ./results)')
    .option(
      '--where <condition...>',
      'only items with this state=…, kind=…, code=… or id=…; separate values with commas',
    )
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (name: string, flags: PullFlags) =>
        (await import('../commands/pull.ts')).pull(name, flags),
      ),
    );
}

/*
 * `hundredfold completion bash|zsh|fish`: completion of commands, options, their choices and the names of campaigns.
 * The shell script calls this program at every tab, so it must be fast and makes no request to a server.
 */

/** Call it after all commands are defined. */
function addCompletion(program: Command): void {
  const { commands } = tab(program, { completionCommandName: 'completion' });
  for (const { arguments: known } of commands.values()) {
    const name = known.get('name');
    if (name)
      name.handler = (complete) => campaignsHere().forEach((one) => complete(one, 'campaign'));
  }
}

/** Campaigns with trees in the default folder. */
function campaignsHere(): string[] {
  const folder = 'results';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, PREPARED_CAMPAIGN)));
}
