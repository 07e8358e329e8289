/**
 * For commands that inspect or control campaigns: they join the running host, or start the server while they need it.
 */
import type { Settings } from '../../config/settings.ts';
import { inSession, logToWorkerLog, type Purpose } from '../../runner/session.ts';
import { EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import { say } from '../text/explain.ts';
import { Interruption } from './interruption.ts';
import { logToTerminal } from '../text/log-text.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { commandSettings } from './command-settings.ts';

export interface Around {
  readonly settings: Settings;
  readonly interruption: Interruption;
}

/** @param hurried a user waits for the answer: a host that does not answer is reported within seconds */
export async function withSession(
  flags: CommonFlags,
  purpose: Purpose,
  use: (session: Session, around: Around) => Promise<number>,
  hurried = purpose === 'look',
): Promise<number> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  logToWorkerLog(settings, logToTerminal());
  const interruption = new Interruption({ submits: purpose === 'work' });
  return inSession({ settings, environment: process.env, purpose, hurried }, async (session) => {
    if (interruption.requested()) return EXIT.interrupted;
    if (purpose === 'work' && session.role !== 'joined') sayUnready(settings);
    return use(session, { settings, interruption });
  });
}

/** The open items of these services remain open: neither their jobs nor this command can process them. */
function sayUnready({ unready }: Settings): void {
  for (const { reference, reason } of unready) {
    say(
      `${reference.service}: this command neither submits nor fetches anything there: ${reason.message}.`,
    );
    say(`  ${reason.remedy}`);
  }
}
