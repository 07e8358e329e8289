/** The command line: all commands in groups, each loaded when it is called. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { readProgramVersion } from '../../program.ts';
import { PREPARED_CAMPAIGN } from '../../store/layout.ts';
import { setVerbosity } from '../text/output.ts';
import { addEveryDay } from './every-day.ts';
import { addResults } from './results.ts';
import { addServers } from './servers.ts';

export const program = new Command('hundredfold')
  .description(
    'Runs batches of molecules, sequences, alignments and NMR shifts through job services.',
  )
  .version(readProgramVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this')
  .option('-q, --quiet', 'print only errors on stderr')
  .option('-v, --verbose', 'also print the worker log on stderr')
  .showHelpAfterError(
    '(hundredfold --help lists the commands, hundredfold run --help the options.)',
  )
  .exitOverride()
  .hook('preAction', (_, command) => setVerbosity(command.optsWithGlobals()));

addEveryDay(program.commandsGroup('Every day:'));
addResults(program.commandsGroup('Results:'));
addServers(program.commandsGroup('Your own server, and what runs here:'));
addCompletion(program.commandsGroup('Shell:'));

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
      name.handler = (complete) => listCampaignsHere().forEach((one) => complete(one, 'campaign'));
  }
}

/** Campaigns with trees in the default folder. */
function listCampaignsHere(): string[] {
  const folder = 'results';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, PREPARED_CAMPAIGN)));
}
