/** All commands with their options: one file a command, loaded when it is called. */
import { Argument, Command, Option } from 'commander';
import { KINDS, SERVICES } from '../domain/item.ts';
import { FINAL_STATES, OPEN_STATES } from '../domain/states.ts';
import { checkedName } from '../manifest/name.ts';
import { programVersion } from '../program/files.ts';
import { addCompletion } from './completion.ts';
import { ending } from './ending.ts';
import { addExportCommand } from './export-command.ts';
import { addLookCommands } from './look-commands.ts';
import { addProofCommands } from './proof-commands.ts';
import { addServicesCommand } from './services-command.ts';
import { addServiceCommands } from './service-commands.ts';
import { setVerbosity } from './verbosity.ts';
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
  .option('-q, --quiet', 'say nothing on stderr but errors')
  .option('-v, --verbose', 'also show the log of the worker on stderr')
  .showHelpAfterError(
    '(hundredfold --help lists the commands, hundredfold run --help the options.)',
  )
  .exitOverride()
  .hook('preAction', (_, command) => setVerbosity(command.optsWithGlobals()));

const config = () =>
  new Option('--config <file>', 'configuration (default: hundredfold.yaml, or HUNDREDFOLD_CONFIG)');
const json = () => new Option('--json', 'print one JSON document on stdout');
const local = () =>
  new Option('--services <which>', 'use the two services of this project, on this machine').choices(
    ['local'],
  );

const MANIFESTS =
  'tables (CSV, TSV, JSONL, JSON, YAML), input files (.smi, FASTA, SD files, …), folders or patterns';

const RETRY_HELP = `
A job that was accepted before is asked for first and costs nothing; only when it is of no use, a new job is sent,
out of the budget. A held molecule may have a job at the service already that nobody can find: it is sent again all the
same, and may become a second job. --failed leaves the held ones out.`;

program
  .command('init')
  .description('a folder to begin in: configuration, manifest and inputs; overwrites nothing')
  .argument('[dir]', 'folder, made if it is missing', '.')
  .action(ending(async (dir) => (await import('./init.ts')).init(dir)));

withStanding(program.command('run'))
  .description('check the manifests, start or resume the campaign, show progress until it ends')
  .argument('<manifest...>', MANIFESTS)
  .option('--out <dir>', 'output folder (default: store.url, or ./results)')
  .option('--name <name>', 'name of the campaign (default: from the manifest)', checkedName)
  .option('--allow-outside', 'let the manifest name files outside its folder')
  .option('--skip-invalid', 'run the other rows where some are refused; failed.csv lists those')
  .option('--no-cache', 'neither take results of earlier campaigns nor keep these for later ones')
  .option('--refresh', 'compute anew what earlier campaigns have computed')
  .option('--keep-going', 'do not pause a service whose items fail for one and the same reason')
  .option('--detach', 'return once the campaign is started')
  .option('--no-worker', 'with a Temporal configured elsewhere: leave all work to its workers')
  .option('-y, --yes', 'do not ask before a campaign of more than an hour')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(ending(async (manifests, flags) => (await import('./run.ts')).run(manifests, flags)));

program
  .command('plan')
  .description('check everything and say what a run would do; submits nothing')
  .argument('<manifest...>', MANIFESTS)
  .option('--out <dir>', 'output folder (default: store.url, or ./results)')
  .option('--name <name>', 'name of the campaign (default: from the manifest)', checkedName)
  .option('--allow-outside', 'let the manifest name files outside its folder')
  .option('--no-cache', 'as if there were no results of earlier campaigns')
  .option('--refresh', 'the same')
  .option('--explain', 'say of each row what becomes of it, and why')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(ending(async (manifests, flags) => (await import('./plan.ts')).plan(manifests, flags)));

program
  .command('adopt')
  .description('take over jobs that were submitted elsewhere, as a campaign; submits nothing')
  .addArgument(new Argument('<service>', 'where the jobs are').choices(SERVICES))
  .argument('[id...]', 'ids of the jobs (request_id, hash_id)')
  .option('--past', 'everything that the service holds for your token and this folder lacks')
  .addOption(
    new Option('--kind <kind>', 'what the jobs are, where the service does not tell').choices(
      KINDS,
    ),
  )
  .option('--out <dir>', 'output folder (default: store.url, or ./results)')
  .option('--name <name>', 'name of the campaign (default: adopted-SERVICE-DATE)', checkedName)
  .option('--detach', 'return once the campaign is started')
  .option('--no-worker', 'with a Temporal configured elsewhere: leave all work to its workers')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (service, ids, flags) => (await import('./adopt.ts')).adopt(service, ids, flags)),
  );

const remote = program.command('remote').description('what is at the services');
remote
  .command('list')
  .description('the jobs that the services hold for your token, and which of them this folder has')
  .addArgument(new Argument('[service]', 'default: all that are configured').choices(SERVICES))
  .option('--out <dir>', 'output folder to compare with (default: store.url, or ./results)')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .action(
    ending(async (service, flags) => (await import('./remote-list.ts')).remoteList(service, flags)),
  );

program
  .command('status')
  .description('how one campaign stands (default: the newest)')
  .argument('[name]', '', checkedName)
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('./status.ts')).status(name, flags)));

program
  .command('list')
  .description('all campaigns')
  .addOption(config())
  .addOption(json())
  .action(ending(async (flags) => (await import('./list.ts')).list(flags)));

program
  .command('items')
  .description('the items of a campaign, or those that are asked for')
  .argument('<name>', '', checkedName)
  .addOption(
    new Option('--state <state>', 'in this state only').choices([...OPEN_STATES, ...FINAL_STATES]),
  )
  .addOption(new Option('--kind <kind>', 'of this kind only').choices(KINDS))
  .option('--code <code>', 'with this error code only')
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('./items.ts')).items(name, flags)));

program
  .command('watch')
  .description('live view of a campaign until it ends')
  .argument('<name>', '', checkedName)
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('./watch.ts')).watch(name, flags)));

program
  .command('pause')
  .description('submit nothing more of a campaign until it is resumed')
  .argument('<name>', '', checkedName)
  .addOption(config())
  .action(ending(async (name, flags) => (await import('./control.ts')).pause(name, flags)));

program
  .command('resume')
  .description('go on with a paused campaign')
  .argument('<name>', '', checkedName)
  .addOption(
    new Option(
      '--service <service>',
      'only with this service, which the campaign has paused because its items fail for one reason',
    ).choices(SERVICES),
  )
  .addOption(config())
  .action(ending(async (name, flags) => (await import('./control.ts')).resume(name, flags)));

program
  .command('cancel')
  .description('end a campaign; what was spent of the budget stays spent')
  .argument('<name>', '', checkedName)
  .option('--abandon', 'end it at once, without tables, because its output tree is gone for good')
  .addOption(config())
  .action(ending(async (name, flags) => (await import('./control.ts')).cancel(name, flags)));

withStanding(program.command('retry'))
  .description('run items again that failed, are held or were cancelled, in the same output tree')
  .argument('<name>', '', checkedName)
  .addOption(new Option('--failed', 'failed items only').conflicts('item'))
  .option('--item <id...>', 'these items only, whatever their end was, unless they succeeded')
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .option('--detach', 'return once it is started')
  .addOption(local())
  .addOption(config())
  .addOption(json())
  .addHelpText('after', RETRY_HELP)
  .action(ending(async (name, flags) => (await import('./retry.ts')).retry(name, flags)));

program
  .command('report')
  .description('make the tables and report.html of a campaign anew, from its output tree alone')
  .argument('<name>', '', checkedName)
  .option('--out <dir>', 'output folder (default: where the campaign ran)')
  .option('--substructure', 'put RDKit into report.html, for substructure search (3.5 MB)')
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('./report.ts')).report(name, flags)));

addTransferCommands({ program, config, json, ending });
addExportCommand({ program, config, json, ending });
addProofCommands({ program, config, json, ending });

program
  .command('budget')
  .description('per service and credential: charged, free, when the next slots free up')
  .option('--charges', 'every submission that the ledger of this machine holds, with its times')
  .addOption(config())
  .addOption(json())
  .action(ending(async (flags) => (await import('./budget.ts')).budget(flags)));

const workerCommand = program
  .command('worker')
  .description('a long-lived worker against a Temporal address')
  .addOption(config())
  .action(ending(async (flags) => (await import('./worker.ts')).worker(flags)));
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
  .action(ending(async (flags) => (await import('./doctor.ts')).doctor(flags)));

addTemporalCommands({ program, config, json, ending });
addServiceCommands({ program, config, json, ending });

program
  .command('stop')
  .description('stop the embedded server that runs in the background')
  .addOption(config())
  .action(ending(async (flags) => (await import('./stop.ts')).stop(flags)));

program
  .command('host', { hidden: true })
  .addOption(local())
  .addOption(config())
  .action(ending(async (flags) => (await import('./background.ts')).serve(flags)));

addCompletion(program);
