/** Commands that look at campaigns, or steer them: they join what runs, or start the server for as long as they need it. */
import { loadSettings, type Settings } from '../config/settings.ts';
import { openSession, type Session } from '../host/session.ts';
import { logToFolder } from './worker-log.ts';
import type { CommonFlags } from './main.ts';

export async function withSession<T>(
  flags: CommonFlags,
  use: (session: Session, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = loadSettings(flags.config, process.env);
  logToFolder(settings);
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: false,
    anyHost: true,
  });
  try {
    return await use(session, settings);
  } finally {
    await session.close();
  }
}
