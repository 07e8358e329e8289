/** What `pause`, `resume` and `cancel` share: each sends a message to the workflow of an open campaign. */
import type { Client } from '@temporalio/client';
import { sendIfOpen } from '../../runner/control.ts';
import { findCampaign, type CampaignLine } from '../../runner/find.ts';
import { EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { say } from '../text/explain.ts';
import { withSession } from './with-session.ts';
import { answered } from '../../runner/session.ts';

const NOBODY_WORKS = '  No command works on it now; this takes effect with the next one.';

/** @param words printed once the message was sent */
export async function sendToCampaign(
  name: string,
  flags: CommonFlags,
  words: string,
  send: (client: Client) => Promise<void>,
): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    const found = await sendIfOpen(session, name, send);
    if (!found.open) sayEnded(found);
    else {
      say(words);
      if (session.role === 'host') say(NOBODY_WORKS);
    }
    return EXIT.ok;
  });
}

/** Returns null, and informs the user, when the campaign has ended. */
export async function openCampaign(
  session: Session,
  name: string,
): Promise<{ out: string } | null> {
  const found = await answered(findCampaign(session.client, name));
  if (found.open) return found;
  sayEnded(found);
  return null;
}

function sayEnded({ name, state }: CampaignLine): void {
  say(`${name} has already ended (${state}).`);
}
