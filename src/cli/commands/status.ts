/** `hundredfold status`: all campaigns and budgets; `status NAME`: the state of one campaign. */
import { Command } from 'commander';
import { readBudgets } from '../../activities/budget-run.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import type { Session } from '../../temporal/host/session.ts';
import { openStore } from '../../store/open-store.ts';
import {
  describeCampaign,
  findTreeElsewhere,
  readCampaignLine,
  listCampaigns,
  type CampaignLine,
  estimateEnd,
  listNotices,
  observe,
  type CampaignObservation,
  openDocument,
  readRemembered,
  canBeCharged,
  formatAccounts,
  viewLedger,
} from '../../runner/command-line.ts';
import { formatClock } from '../../domain/units.ts';
import { formatBudgetText, formatCounts, formatEnd, formatState } from '../progress.ts';
import { readEndedCampaign } from '../../report/campaign-summary.ts';
import { say, printDocument, printLine, printTable } from '../terminal.ts';
import { printEnd } from '../conclusion.ts';
import { loadCommandSettings, findMeant, withSession } from '../session.ts';
import { readTreeState } from '../../report/publish.ts';
import { nameBudget, type BudgetStatus, type CampaignUse } from '../../budget/status.ts';
import { call, type Flags, createNameArgument } from '../options.ts';

export const commands = [
  new Command('status')
    .description('show a campaign and what blocks it; without a name: all campaigns and budgets')
    .addArgument(createNameArgument('[name]'))
    .action(call(showStatus)),
];

async function showStatus(given: string | undefined, typed: Flags): Promise<number> {
  if (given === undefined) return showAll(typed);
  const { name, flags } = await findMeant(given, typed);
  return withSession(flags, async (session, { storeUrl }) => {
    const found = await describeCampaign(session.client, name, storeUrl).catch((error: unknown) =>
      findEndedElsewhere(name, storeUrl, error),
    );
    if (typeof found === 'string') return showEnd(found, flags);
    const campaign = readCampaignLine(found);
    if (!campaign.open) return showEnd(campaign.out, flags);
    const seen = await observe(session, { name: campaign.name, folder: campaign.out }, found);
    if (flags.json) printDocument(await openDocument(session, campaign, seen));
    else printOpen(session, campaign, seen);
    return EXIT.ok;
  });
}

async function showEnd(folder: string, { json }: Flags): Promise<number> {
  const ended = await readEndedCampaign(await openStore(folder), folder);
  if (json) printDocument(ended.document);
  else printEnd(ended, printLine);
  return EXIT.ok;
}

/** The tree of a campaign that this Temporal does not know. Throws the error if it has not ended. */
async function findEndedElsewhere(name: string, storeUrl: string, error: unknown): Promise<string> {
  const isUnknown = error instanceof HundredfoldError && error.code === 'CAMPAIGN_UNKNOWN';
  const tree = isUnknown ? await findTreeElsewhere(name, storeUrl) : null;
  if (tree === null || !(await readTreeState(tree.store, tree.campaign)).isPublished) throw error;
  return tree.location;
}

/** The campaigns, the newest first, and the budget of each service and credential. */
async function showAll(flags: Flags): Promise<number> {
  // Where no Temporal was ever used there is nothing to ask, and no server has to be downloaded to find that out.
  if (!canBeCharged(loadCommandSettings(flags))) return printAll([], [], flags);
  return withSession(flags, async ({ client }) => {
    const [campaigns, budgets] = await Promise.all([listCampaigns(client), readBudgets(client)]);
    return printAll(campaigns, budgets, flags);
  });
}

function printAll(
  campaigns: readonly CampaignLine[],
  budgets: readonly BudgetStatus[],
  { json }: Flags,
): number {
  const here = new Set(campaigns.map(({ out }) => out));
  const elsewhere = readRemembered().filter(({ folder }) => !here.has(folder));
  if (json) {
    printDocument({ campaigns, budgets, ...(elsewhere.length > 0 && { elsewhere }) });
    return EXIT.ok;
  }
  if (campaigns.length + elsewhere.length === 0) say('No campaigns yet.');
  if (campaigns.length > 0)
    printTable(
      ['NAME', 'STATE', 'STARTED', 'OUT'],
      campaigns.map(({ name, state, startedAt, out }) => [name, state, formatTime(startedAt), out]),
    );
  if (campaigns.length > 0 && elsewhere.length > 0) printLine('');
  if (elsewhere.length > 0)
    printTable(
      ['NAME', 'ELSEWHERE', 'STARTED', 'OUT'],
      elsewhere.map(({ name, cwd, at, folder }) => [name, cwd, formatTime(at), folder]),
    );
  for (const one of budgets) printBudget(one);
  printLedger();
  return EXIT.ok;
}

function formatTime(iso: string): string {
  return formatClock(Date.parse(iso), Date.now());
}

function printOpen(session: Session, campaign: CampaignLine, seen: CampaignObservation): void {
  const { budgets, at } = seen;
  // This command had to start the server.
  const isAlone = session.role === 'host';
  // The end cannot be predicted while the campaign is blocked, or until somebody resumes it.
  const end = seen.obstacle !== null || isAlone ? null : estimateEnd(seen);
  printLine(`${campaign.name}${formatState(seen)}: ${formatCounts(seen)}`);
  for (const one of budgets) printLine(`  ${formatBudgetText(nameBudget(one, budgets), one, at)}`);
  for (const { words } of budgets.flatMap(listNotices)) printLine(`  ${words}`);
  for (const why of [seen.obstacle, seen.hindered]) if (why !== null) printLine(`  ${why}`);
  if (end !== null) printLine(`  ${formatEnd(end, at)}`);
  printLine(`  results: ${campaign.out}`);
  const goesOn = `"hundredfold watch ${campaign.name}" goes on with it, as does its "hundredfold run" command.`;
  if (isAlone) printLine(`  Nothing is working on it. ${goesOn}`);
}

/** Across all folders and servers of this user, which the budget in one Temporal cannot see. */
function printLedger(): void {
  const view = viewLedger(process.env);
  const lines = view ? formatAccounts(view) : [];
  if (lines.length > 0) printLine('sent from this machine:');
  for (const line of lines) printLine(`  ${line}`);
}

function printBudget(status: BudgetStatus): void {
  const { service, address, credential, now, use, outstanding, counts } = status;
  printLine(`${service} (${address})`);
  printLine(`  ${formatBudgetText(`credential ${credential}`, status, now)}`);
  for (const line of use) printLine(`  ${formatUse(line)}`);
  for (const { words } of listNotices(status)) printLine(`  ${words}`);
  const ways = outstanding > 0 ? `${outstanding} in progress, ` : '';
  printLine(
    `  so far: ${ways}${counts.accepted} accepted, ${counts.refused} refused, ${counts.rejected429} answered with 429`,
  );
}

/** `campaign night of anna: 4 charged, 12 waiting, paused; priority 3`, without a priority where none waits. */
function formatUse(line: CampaignUse): string {
  const { campaign, user, charged, waiting, priority, paused } = line;
  if (campaign === null) return `jobs of no campaign here: ${charged} charged`;
  const name = `campaign ${campaign}${user === null ? '' : ` of ${user}`}`;
  const counts = `${charged} charged, ${waiting} waiting${paused ? ', paused' : ''}`;
  return `${name}: ${counts}${waiting > 0 ? `; priority ${priority}` : ''}`;
}
