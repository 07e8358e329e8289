/** All commands with their options: one file per command, loaded when it is called. */
import { Argument, Command, Option } from 'commander';
import { KINDS, SERVICES } from '../../domain/item.ts';
import { FINAL_STATES, OPEN_STATES } from '../../domain/states.ts';
import { checkedName } from '../../manifest/checked-name.ts';
import { programVersion } from '../../program/files.ts';
import { addCompletion } from './completion.ts';
import { ending } from './ending.ts';
import { addExportCommand } from './export-command.ts';
import { addLookCommands } from './look-commands.ts';
import { addProofCommands } from './proof-commands.ts';
import { addServicesCommand } from './services-command.ts';
import { addServiceCommands } from './service-commands.ts';
import { setVerbosity } from '../text/verbosity.ts';
import { withStanding } from './standing.ts';
import { addTransferCommands } from './transfer-commands.ts';
import { workerOptions } from './worker-options.ts';
import { addTemporalCommands } from './temporal-commands.ts';

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
  new Option('--services <which>', 'use the local services of this project').choices(['local']);

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

withStanding(program.command('run'))
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
  .option('--refresh', 'compute everything again, including results of earlier campaigns')
  .option('--keep-going', 'do not pause a service when its items keep failing for the same reason')
  .option('--detach', 'return when the campaign has started')
  .option('--no-worker', 'with your own Temporal server: leave all work to its workers')
  .option('-y, --yes', 'do not ask for confirmation if the campaign takes more than an hour')
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
  .option('--no-cache', 'plan without results of earlier campaigns')
  .option('--refresh', 'same as --no-cache')
  .option('--explain', 'print what would happen to each row, and why')
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
  .description('adopt jobs that were submitted elsewhere as a campaign; submits nothing')
  .addArgument(new Argument('<service>', 'where the jobs are').choices(SERVICES))
  .argument('[id...]', 'ids of the jobs (request_id, hash_id)')
  .option('--past', 'all jobs that the service has for your token and that this folder lacks')
  .addOption(
    new Option('--kind <kind>', 'kind of the jobs, if the service does not report it').choices(
      KINDS,
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

const remote = program.command('remote').description('show jobs at the services');
remote
  .command('list')
  .description(
    'list the jobs that the services have for your token, and which of them this folder has',
  )
  .addArgument(new Argument('[service]', 'default: all that are configured').choices(SERVICES))
  .option('--out <dir>', 'output folder to compare with (default: store.url, or ./results)')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (service, flags) =>
      (await import('../commands/remote-list.ts')).remoteList(service, flags),
    ),
  );

program
  .command('status')
  .description('show the state of a campaign (default: the newest)')
  .argument('[name]', '', checkedName)
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (name, flags) => (await import('../commands/status.ts')).status(name, flags)),
  );

program
  .command('list')
  .description('list all campaigns')
  .addOption(config())
  .addOption(json())
  .action(ending(async (flags) => (await import('../commands/list.ts')).list(flags)));

program
  .command('items')
  .description('list the items of a campaign')
  .argument('<name>', '', checkedName)
  .addOption(
    new Option('--state <state>', 'only items in this state').choices([
      ...OPEN_STATES,
      ...FINAL_STATES,
    ]),
  )
  .addOption(new Option('--kind <kind>', 'only items of this kind').choices(KINDS))
  .option('--code <code>', 'only items with this error code')
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('../commands/items.ts')).items(name, flags)));

program
  .command('watch')
  .description('show a live view of a campaign until it ends')
  .argument('<name>', '', checkedName)
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
    new Option(
      '--service <service>',
      'only this service, which was paused because its items kept failing',
    ).choices(SERVICES),
  )
  .addOption(config())
  .action(
    ending(async (name, flags) => (await import('../commands/resume.ts')).resume(name, flags)),
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

withStanding(program.command('retry'))
  .description('run failed, held and cancelled items again, in the same output tree')
  .argument('<name>', '', checkedName)
  .addOption(new Option('--failed', 'only failed items').conflicts('item'))
  .option('--item <id...>', 'only these items, unless they succeeded')
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .option('--detach', 'return when it has started')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .addHelpText('after', RETRY_HELP)
  .action(ending(async (name, flags) => (await import('../commands/retry.ts')).retry(name, flags)));

program
  .command('report')
  .description('rebuild the tables and report.html of a campaign from its output tree')
  .argument('<name>', '', checkedName)
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .option('--substructure', 'include RDKit in report.html, for substructure search (3.5 MB)')
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (name, flags) => (await import('../commands/report.ts')).report(name, flags)),
  );

addTransferCommands({ program, config, json, ending });
addExportCommand({ program, config, json, ending });
addProofCommands({ program, config, json, ending });

program
  .command('budget')
  .description(
    'show used and free slots of each service and credential, and when the next are free',
  )
  .option('--charges', 'list every submission in the ledger of this machine, with its times')
  .addOption(config())
  .addOption(json())
  .action(ending(async (flags) => (await import('../commands/budget.ts')).budget(flags)));

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
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(ending(async (flags) => (await import('../commands/doctor.ts')).doctor(flags)));

addTemporalCommands({ program, config, json, ending });
addServiceCommands({ program, config, json, ending });

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
