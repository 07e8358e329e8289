/** `hundredfold watch NAME`: the live view of a campaign until it ends. */
import { Campaign } from '../../runner/campaign.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { followToEnd } from '../session/conclusion.ts';
import { findMeant, withCampaign } from '../session.ts';

export async function watch(given: string | undefined, wanted: CommonFlags): Promise<number> {
  const meant = await findMeant(given, wanted);
  const { name, flags } = meant;
  return withCampaign(meant, 'work', async (session, { out }, { interruption, settings }) => {
    const { signal } = interruption;
    const campaign = new Campaign({ session, settings, options: flags, name, out, signal });
    const again = `hundredfold watch ${name}`;
    return followToEnd(campaign, { ...flags, again }, interruption);
  });
}
