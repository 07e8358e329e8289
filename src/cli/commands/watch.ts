/** `hundredfold watch NAME`: the live view of a campaign until it ends. */
import { findCampaign } from '../../runner/find.ts';
import { concludeRun } from '../session/conclusion.ts';
import { follow } from '../live/follow.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { withSession } from '../session/with-session.ts';

export async function watch(name: string, flags: CommonFlags): Promise<number> {
  return withSession(flags, 'work', async (session, { interruption, settings }) => {
    const followed = { name, folder: (await findCampaign(session.client, name)).out };
    const to = await follow(session, followed, interruption);
    return concludeRun(session, followed, to, { flags, settings });
  });
}
