/**
 * `hundredfold completion bash|zsh|fish`: completion of commands, options, their choices and the names of campaigns. The
 * script asks this program at every tab, so nothing slow may happen: no server is asked.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { PREPARED_CAMPAIGN } from '../../store/layout.ts';

/** To be called when all commands are known. */
export function addCompletion(program: Command): void {
  const { commands } = tab(program, { completionCommandName: 'completion' });
  for (const { arguments: known } of commands.values()) {
    const name = known.get('name');
    if (name)
      name.handler = (complete) => campaignsHere().forEach((one) => complete(one, 'campaign'));
  }
}

/** Those whose trees lie in the usual folder. */
function campaignsHere(): string[] {
  const folder = 'results';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, PREPARED_CAMPAIGN)));
}
