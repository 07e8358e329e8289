/** The command line: one file a command, loaded when it is called. */
import { Argument, Command, CommanderError, Option } from 'commander';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { KINDS, SERVICES } from '../domain/item.ts';
import { FINAL_STATES, OPEN_STATES } from '../domain/states.ts';
import { checkedName } from '../manifest/name.ts';
import { programVersion } from '../program/files.ts';
import { explain } from './explain.ts';
import { addServiceCommands } from './service-commands.ts';
import { withStanding } from './standing.ts';
import { addTransferCommands } from './transfer-commands.ts';
import { workerOptions } from './worker-options.ts';
import { addTemporalCommands } from './temporal-commands.ts';

// A pipe that is closed (`| head`) or a terminal that is gone must not break off a campaign in the middle.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const program = new Command('hundredfold')
  .description(
    'Runs batches of molecules, sequences, alignments and NMR shifts through job services.',
  )
  .version(programVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this')
  .showHelpAfterError(
    '(hundredfold --help lists the commands, hundredfold run --help the options.)',
  )
  .exitOverride();

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

/** Runs a command and ends the process with its exit code: open handles of libraries must not keep it alive. */
function ending<A extends unknown[]>(command: (...args: A) => Promise<number>) {
  return async (...args: A): Promise<void> => {
    process.exitCode = await command(...args);
    // stdout may be a pipe: what is still in it must get out first.
    await new Promise((resolve) => process.stdout.write('', resolve));
    process.exit();
  };
}

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
  .addOption(config())
  .addOption(json())
  .action(ending(async (name, flags) => (await import('./report.ts')).report(name, flags)));

addTransferCommands(program, { config, json, ending });

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

program
  .command('services')
  .description('the two local services, in the foreground')
  .option('--port <n>', 'port to listen on', '8080')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--database <file>', 'SQLite file that the jobs live in', 'services.db')
  .addOption(
    new Option(
      '--engine <engine>',
      'what computes (default: real where it is installed, else recorded)',
    ).choices(['real', 'recorded', 'synthetic']),
  )
  .addOption(
    new Option('--variant <variant>', 'interface of the prediction service')
      .choices(['current', 'earlier'])
      .default('current'),
  )
  .option('--limit <n>', 'jobs per window and token of the prediction service; 0: no limit', '100')
  .option('--window <time>', 'length of the rolling window', '60m')
  .option('--molecule-limit <n>', 'the same for the molecule service; 0: no limit', '0')
  .option('--address-limit <n>', 'jobs per window and network address; 0: no limit')
  .option('--job-time <time>', 'run time of a job')
  .option(
    '--concurrency <n>',
    'jobs running at once; 0: no limit (default: one a core where they are computed, else 2 a service)',
  )
  .option(
    '--max-queued <n>',
    'jobs of a token that may wait in each service, then 503; 0: no limit',
    '1000',
  )
  .option('--body-limit <MiB>', 'largest body of a request, then 413', '20')
  .option('--retry-after <seconds>', 'Retry-After of unfinished jobs', '5')
  .option('--job-time-limit <time>', 'time limit of a job', '1h')
  .option('--base-path <path>', 'path of both services behind a reverse proxy, such as /tools')
  .option(
    '--trust-proxy',
    'believe X-Forwarded-For, -Proto, -Host and -Prefix of the nearest proxy',
  )
  .option(
    '--smtp <url>',
    'SMTP server for mail about molecule jobs, smtp://host:port (default: a note in the log)',
  )
  .option('--mail-from <address>', 'sender of that mail', 'molecules@localhost')
  .option('--fault-control', 'let clients switch faults on under /_faults, for tests')
  .option(
    '--gateway <name[:after[:for]]>',
    'a gateway in front that misbehaves, e.g. firewall-403:5s:30s (docs/local-services.md); none: it only relays',
  )
  .addHelpText(
    'after',
    `
Pages: /docs/ and /acpype/docs/ (the interfaces; as OpenAPI under /docs/json), /acpype/ (public jobs),
/metrics (Prometheus). One log line a request on stderr, without tokens and ids.`,
  )
  .action(ending(async (flags) => (await import('./services.ts')).services(flags)));

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

/** Temporal's client, which knows its own errors, takes half a second to load: only now. */
async function worded(error: unknown): Promise<unknown> {
  const { isTemporalAway, temporalAway } = await import('./temporal-away.ts');
  const { refusalOf } = await import('../temporal/refusals.ts');
  return refusalOf(error) ?? (isTemporalAway(error) ? temporalAway(error) : error);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else {
    const told = error instanceof HundredfoldError ? error : await worded(error);
    explain(told);
    process.exitCode = told instanceof HundredfoldError ? told.exitCode : EXIT.usage;
  }
  process.exit();
}
