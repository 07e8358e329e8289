/** `hundredfold pause NAME`: durable, because it is a message to the campaign's workflow. */
import { pauseCampaign } from '../../runner/control.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { sendToCampaign } from '../session/open-campaign.ts';

export async function pause(name: string, flags: CommonFlags): Promise<number> {
  const words = `${name} is paused: no new submissions; results of submitted jobs are still fetched. \`hundredfold resume\` continues it.`;
  return sendToCampaign(name, flags, words, (client) => pauseCampaign(client, name));
}
