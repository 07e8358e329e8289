/** `hundredfold status`: all campaigns and budgets; `status NAME`: the state of one campaign. */
import { readBudgets } from '../../activities/budget-status.ts';
import { EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import { openStore } from '../../store/open-store.ts';
import { describeCampaign, lineOf, listCampaigns, type CampaignLine } from '../../runner/find.ts';
import { expectedEnd, endedLately } from '../../runner/forecast.ts';
import { clockText } from '../../domain/clock-text.ts';
import { noticesOf } from '../../runner/events.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { observe, type CampaignObservation, openDocument } from '../../runner/observe.ts';
import { budgetText, countsText, endText, stateText } from '../text/progress-text.ts';
import { endedCampaign } from '../../report/campaign-summary.ts';
import { printBudgets } from '../text/budgets-text.ts';
import { say } from '../text/explain.ts';
import { printDocument, printLine } from '../text/output.ts';
import { printEnd } from '../text/summary.ts';
import { printTable } from '../text/table.ts';
import { withSession } from '../session/with-session.ts';

export async function status(name: string | undefined, flags: CommonFlags): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    if (name === undefined) return printAll(session, flags);
    const found = await describeCampaign(session.client, name);
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

/** The campaigns, the newest first, and the budget of each service and credential. */
async function printAll({ client }: Session, { json }: CommonFlags): Promise<number> {
  const [campaigns, budgets] = await Promise.all([listCampaigns(client), readBudgets(client)]);
  if (json) printDocument({ campaigns, budgets });
  else {
    if (campaigns.length === 0) say('No campaigns yet.');
    else printTable(HEADER, campaigns.map(cellsOf));
    printBudgets(budgets);
  }
  return EXIT.ok;
}

const HEADER = ['NAME', 'STATE', 'STARTED', 'OUT'];

function cellsOf({ name, state, startedAt, out }: CampaignLine): string[] {
  return [name, state, clockText(Date.parse(startedAt), Date.now()), out];
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
  if (seen.hindered !== null) printLine(`  ${seen.hindered}`);
  if (end !== null) printLine(`  ${endText(end, at)}`);
  printLine(`  results: ${campaign.out}`);
  if (isAlone) {
    printLine('  Nothing is working on it. To resume, run its "hundredfold run" command again,');
    printLine(`  or: hundredfold watch ${campaign.name}`);
  }
}
