/**
 * `hundredfold completion bash|zsh|fish`: completion of commands, options, their choices and the names of campaigns.
 * The shell script calls this program at every tab, so it must be fast and makes no request to a server.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { PREPARED_CAMPAIGN } from '../../store/layout.ts';

/** Call it after all commands are defined. */
export function addCompletion(program: Command): void {
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
