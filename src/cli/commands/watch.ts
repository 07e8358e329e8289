/** `hundredfold watch NAME`: the live view of a campaign until it ends. */
import { Campaign } from '../../runner/campaign.ts';
import { findCampaign } from '../../runner/find.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { followToEnd } from '../session/conclusion.ts';
import { withSession } from '../session/with-session.ts';

export async function watch(name: string, flags: CommonFlags): Promise<number> {
  return withSession(flags, 'work', async (session, { interruption, settings }) => {
    const { out } = await findCampaign(session.client, name);
    const { signal } = interruption;
    const campaign = new Campaign({ session, settings, options: flags, name, out, signal });
    return followToEnd(campaign, flags, interruption);
  });
}
