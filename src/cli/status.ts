/** `hundredfold status [NAME]`: how one campaign stands. */
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { openStore } from '../store/open-store.ts';
import { findCampaign, listCampaigns, type CampaignLine } from './campaigns.ts';
import { expectedEnd } from '../plan/expected-end.ts';
import { noticesOf } from './budget-notices.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './flags.ts';
import { observe } from './observe.ts';
import { openDocument } from './open-document.ts';
import { budgetText, countsText, endText, stateText } from './progress-text.ts';
import { endedCampaign } from '../report/campaign-document.ts';
import { print, printEnd } from './summary.ts';
import { withSession } from './with-session.ts';

export async function status(name: string | undefined, flags: CommonFlags): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    const campaign = name ? await findCampaign(session.client, name) : await newest(session);
    if (campaign.open) await printOpen(session, campaign, flags.json ?? false);
    else {
      const ended = await endedCampaign(await openStore(campaign.out), campaign.out);
      if (flags.json) print(ended.document);
      printEnd(ended);
    }
    return EXIT.ok;
  });
}

async function newest({ client }: Session): Promise<CampaignLine> {
  const [campaign] = await listCampaigns(client);
  if (campaign) return campaign;
  throw new HundredfoldError({
    code: 'CAMPAIGN_NONE',
    message: 'no campaign was run here yet',
    remedy: 'Start one: hundredfold run MANIFEST.',
  });
}

async function printOpen(session: Session, campaign: CampaignLine, json: boolean): Promise<void> {
  const seen = await observe(session, { name: campaign.name, folder: campaign.out });
  if (json) print(await openDocument(session, campaign, seen));
  const { budgets, at } = seen;
  const end = expectedEnd(seen);
  say(`${campaign.name}${stateText(seen)}: ${countsText(seen)}`);
  for (const budget of budgets) say(`  ${budgetText(budget, at)}`);
  for (const { words } of budgets.flatMap(noticesOf)) say(`  ${words}`);
  if (seen.obstacle !== null) say(`  ${seen.obstacle}`);
  // While it stands still nobody knows.
  if (end !== null && seen.obstacle === null) say(`  ${endText(end, at)}`);
  say(`  results: ${campaign.out}`);
  if (session.role === 'host') {
    say('  Nothing works on it now. To go on, type its "hundredfold run" command again,');
    say(`  or: hundredfold watch ${campaign.name}`);
  }
}
