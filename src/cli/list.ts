/** `hundredfold list`: all campaigns, the newest first. */
import { EXIT } from '../domain/errors.ts';
import { listCampaigns } from './campaigns.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './flags.ts';
import { clockText } from './clock-text.ts';
import { withSession } from './with-session.ts';

export async function list(flags: CommonFlags): Promise<number> {
  return withSession(flags, 'look', async ({ client }) => {
    const campaigns = await listCampaigns(client);
    if (flags.json) process.stdout.write(`${JSON.stringify(campaigns)}\n`);
    if (campaigns.length === 0) say('No campaign was run here yet.');
    const width = Math.max(0, ...campaigns.map(({ name }) => name.length));
    for (const { name, state, startedAt, out } of flags.json ? [] : campaigns) {
      say(
        `${name.padEnd(width)}  ${state.padEnd(10)}  ${clockText(Date.parse(startedAt), Date.now())}  ${out}`,
      );
    }
    return EXIT.ok;
  });
}
