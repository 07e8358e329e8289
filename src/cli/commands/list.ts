/** `hundredfold list`: all campaigns, the newest first. */
import { EXIT } from '../../domain/errors.ts';
import { listCampaigns, type CampaignLine } from '../../campaigns/find.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { clockText } from '../../campaigns/clock-text.ts';
import { printDocument } from '../text/output.ts';
import { printTable } from '../text/table.ts';
import { withSession } from '../session/with-session.ts';

const HEADER = ['NAME', 'STATE', 'STARTED', 'OUT'];

export async function list(flags: CommonFlags): Promise<number> {
  return withSession(flags, 'look', async ({ client }) => {
    const campaigns = await listCampaigns(client);
    if (flags.json) printDocument(campaigns);
    else if (campaigns.length > 0) printTable(HEADER, campaigns.map(cellsOf));
    if (campaigns.length === 0) say('No campaigns yet.');
    return EXIT.ok;
  });
}

function cellsOf({ name, state, startedAt, out }: CampaignLine): string[] {
  return [name, state, clockText(Date.parse(startedAt), Date.now()), out];
}
