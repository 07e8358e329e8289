/** Commands that look at campaigns, or steer them: they join what runs, or start the server for as long as they need it. */
import { loadSettings, type Settings } from '../config/settings.ts';
import { EXIT } from '../domain/errors.ts';
import { openSession, type Session } from '../host/session.ts';
import { Interruption } from './interruption.ts';
import { logToFolder } from './worker-log.ts';
import type { CommonFlags } from './flags.ts';

export interface Around {
  readonly settings: Settings;
  readonly interruption: Interruption;
}

/**
 * `look`: where nothing runs, the server is started without letting the campaigns go on: `status` spends no budget.
 * `work`: they go on for as long as this command lives.
 */
export async function withSession(
  flags: CommonFlags,
  purpose: 'look' | 'work',
  use: (session: Session, around: Around) => Promise<number>,
): Promise<number> {
  const settings = loadSettings(flags.config, process.env);
  logToFolder(settings);
  const interruption = new Interruption();
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: false,
    anyHost: true,
    lookOnly: purpose === 'look',
  });
  try {
    if (interruption.requested()) return EXIT.interrupted;
    return await use(session, { settings, interruption });
  } finally {
    await session.close();
  }
}
