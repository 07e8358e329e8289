/** `hundredfold status [NAME]`: the state of one campaign. */
import type { Client } from '@temporalio/client';
import { codedError, EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import { openStore } from '../../store/open-store.ts';
import {
  describeCampaign,
  lineOf,
  listCampaigns,
  type CampaignLine,
} from '../../campaigns/find.ts';
import { expectedEnd } from '../../plan/expected-end.ts';
import { endedLately } from '../../campaigns/ended-lately.ts';
import { noticesOf } from '../../campaigns/budget-notices.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { observe, type CampaignObservation } from '../../campaigns/observe.ts';
import { openDocument } from '../../campaigns/open-document.ts';
import { budgetText, countsText, endText, stateText } from '../text/progress-text.ts';
import { endedCampaign } from '../../report/campaign-document.ts';
import { printDocument, printLine } from '../text/output.ts';
import { printEnd } from '../text/summary.ts';
import { withSession } from '../session/with-session.ts';

export async function status(name: string | undefined, flags: CommonFlags): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    const { client } = session;
    const found = await describeCampaign(client, name ?? (await newest(client)));
    const campaign = lineOf(found);
    if (campaign.open) {
      const seen = await observe(session, { name: campaign.name, folder: campaign.out }, found);
      if (flags.json) printDocument(await openDocument(session, campaign, seen));
      else await printOpen(session, campaign, seen);
    } else {
      const ended = await endedCampaign(await openStore(campaign.out), campaign.out);
      if (flags.json) printDocument(ended.document);
      else printEnd(ended, { print: printLine });
    }
    return EXIT.ok;
  });
}

async function newest(client: Client): Promise<string> {
  const [campaign] = await listCampaigns(client);
  if (campaign) return campaign.name;
  throw codedError('CAMPAIGN_NONE', {});
}

async function printOpen(
  session: Session,
  campaign: CampaignLine,
  seen: CampaignObservation,
): Promise<void> {
  const { budgets, at } = seen;
  // This command had to start the server.
  const isAlone = session.role === 'host';
  // The end cannot be predicted while the campaign is blocked, or until somebody resumes it.
  const end =
    seen.obstacle !== null || isAlone
      ? null
      : expectedEnd(seen, await endedLately(session.client, campaign, seen));
  printLine(`${campaign.name}${stateText(seen)}: ${countsText(seen)}`);
  for (const budget of budgets) printLine(`  ${budgetText(budget, at)}`);
  for (const { words } of budgets.flatMap(noticesOf)) printLine(`  ${words}`);
  if (seen.obstacle !== null) printLine(`  ${seen.obstacle}`);
  if (end !== null) printLine(`  ${endText(end, at)}`);
  printLine(`  results: ${campaign.out}`);
  if (isAlone) {
    printLine('  Nothing is working on it. To resume, run its "hundredfold run" command again,');
    printLine(`  or: hundredfold watch ${campaign.name}`);
  }
}
