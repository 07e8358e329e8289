/** The command line: all commands in groups, each in a file of its own, which is loaded when it is called. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { readProgramVersion } from '../program.ts';
import { PREPARED_CAMPAIGN } from '../store/layout.ts';
import { addGlobalOptions, type Flags } from './options.ts';
import { setCommandNames, setVerbosity } from './terminal.ts';

type Load = () => Promise<{ readonly commands: readonly Command[] }>;

const control: Load = () => import('./commands/control.ts');
const host: Load = () => import('./commands/host.ts');
const items: Load = () => import('./commands/items.ts');
const results: Load = () => import('./commands/results.ts');

const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Every day:': {
    init: () => import('./commands/init.ts'),
    plan: () => import('./commands/plan.ts'),
    run: () => import('./commands/run.ts'),
    status: () => import('./commands/status.ts'),
    items,
    watch: control,
    pause: control,
    resume: control,
    cancel: control,
    retry: () => import('./commands/retry.ts'),
    adopt: () => import('./commands/adopt.ts'),
  },
  'Results:': {
    report: results,
    export: () => import('./commands/export.ts'),
    verify: results,
    pull: results,
    logs: items,
  },
  'Your own server, and what runs here:': {
    doctor: () => import('./commands/doctor.ts'),
    ui: host,
    stop: host,
    setup: host,
    worker: () => import('./commands/worker.ts'),
    services: () => import('./commands/services.ts'),
    host,
  },
};

const VERSION: readonly string[] = ['-V', '--version'];

/** What newcomers ask, and no command answers. */
const QUESTIONS = `
Limit of a service:  its budget in hundredfold.yaml (hundredfold init writes one)
Results:             results/NAME; files for GROMACS below it, in molecules/ID
Held items:          may have a job that cannot be found; sent again by retry only
Python, clusters:    docs/library.md, docs/hpc.md`;

/** @param words what is typed; if it begins with the name of a command, the program has this command only */
export async function createProgram(words: readonly string[] = []): Promise<Command> {
  const program = addGlobalOptions(
    new Command('hundredfold')
      .description(
        'Runs batches of molecules, sequences, alignments and NMR shifts through job services.',
      )
      .version(readProgramVersion(), VERSION.join(', '), 'print the version')
      .helpOption('-h, --help', 'print this'),
  )
    .showHelpAfterError(
      '(hundredfold --help lists the commands, hundredfold COMMAND --help its options.)',
    )
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .hook('preAction', (_, command) => {
      const { quiet, verbose } = command.optsWithGlobals<Flags>();
      setVerbosity(quiet, verbose);
    });
  const names = Object.values(GROUPS).flatMap((group) => Object.keys(group));
  setCommandNames(names);
  // Loading all commands takes most of a second.
  if (words.length === 1 && VERSION.includes(words[0] ?? '')) return program;
  const [typed] = words.filter((word, at) => at === 0 && names.includes(word));
  for (const [heading, group] of Object.entries(GROUPS))
    for (const [name, load] of Object.entries(group))
      if (typed === undefined || typed === name)
        await addCommand(program.commandsGroup(heading), name, load);
  if (typed === undefined) {
    addCompletion(program.commandsGroup('Shell:'));
    program.addHelpText('after', QUESTIONS);
  }
  return program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('print the help of a command')
      .helpGroup('Shell:'),
  );
}

async function addCommand(program: Command, name: string, load: Load): Promise<void> {
  const command = (await load()).commands.find((one) => one.name() === name);
  if (command === undefined) throw new TypeError(`no file has the command ${name}`);
  command
    .copyInheritedSettings(program)
    .showHelpAfterError(`(hundredfold ${name} --help lists its options.)`);
  program.addCommand(command, { hidden: name === 'host' });
}

/**
 * `hundredfold completion bash|zsh|fish`: completion of commands, options, their choices and the names of campaigns.
 * The shell script calls this program at every tab, so it makes no request to a server. Call it after all commands are
 * defined.
 */
function addCompletion(program: Command): void {
  const { commands, options } = tab(program, { completionCommandName: 'completion' });
  const own = program.commands.find((command) => command.name() === 'completion');
  own?.description('print the script that completes commands in this shell');
  for (const command of commands.values()) {
    for (const [long, option] of options) command.options.set(long, option);
    const name = command.arguments.get('name');
    if (name)
      name.handler = (complete) => listCampaignsHere().forEach((one) => complete(one, 'campaign'));
  }
}

/** Campaigns with trees in the default folder. */
function listCampaignsHere(): string[] {
  const folder = 'results';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, PREPARED_CAMPAIGN)));
}
