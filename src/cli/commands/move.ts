/** `hundredfold move NAME --to FILE`: moves a campaign of the embedded server to another Temporal server. */
import { moveCampaign } from '../../campaigns/move.ts';
import { EXIT } from '../../domain/errors.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { commandSettings } from '../session/command-settings.ts';
import { logToFolder } from '../session/worker-log.ts';
import { say } from '../text/explain.ts';

export interface MoveFlags extends CommonFlags {
  /** The configuration of the target Temporal. */
  readonly to: string;
}

export async function move(name: string, flags: MoveFlags): Promise<number> {
  const here = commandSettings(flags, { tokens: 'optional' });
  const there = commandSettings({ config: flags.to });
  logToFolder(here);
  const address = await moveCampaign({
    name,
    here,
    there,
    file: flags.to,
    environment: process.env,
    onNotice: say,
  });
  say(`${name} continues at ${address} as long as workers run there: hundredfold worker.`);
  say(
    `  Watch it with the configuration of that server: hundredfold watch ${name} --config ${flags.to}`,
  );
  return EXIT.ok;
}
