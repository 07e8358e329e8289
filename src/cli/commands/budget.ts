/**
 * `hundredfold budget`: per service and credential: submissions charged, submissions left, when the next slots free up.
 */
import { readBudgets } from '../../activities/budget-status.ts';
import type { BudgetStatus, WindowStatus } from '../../budget/status.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { CampaignUse } from '../../budget/use-status.ts';
import { EXIT } from '../../domain/errors.ts';
import { standingText } from '../../domain/standing-text.ts';
import { noticesOf } from '../../campaigns/budget-notices.ts';
import { chargeLines, readCharges } from '../text/charges.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { printDocument, printLine } from '../text/output.ts';
import { accountLines, rejectionLines, viewLedger } from '../../campaigns/ledger-lines.ts';
import { clockText } from '../../campaigns/clock-text.ts';
import { isBlocked, windowText } from '../text/progress-text.ts';
import { withSession } from '../session/with-session.ts';

interface BudgetFlags extends CommonFlags {
  readonly charges?: boolean;
}

export async function budget(flags: BudgetFlags): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    const budgets = await readBudgets(session.client);
    if (flags.charges) {
      const charges = readCharges(process.env);
      if (flags.json) printDocument({ budgets, charges });
      else for (const line of chargeLines(charges)) printLine(line);
      return EXIT.ok;
    }
    if (flags.json) printDocument(budgets);
    else if (budgets.length === 0)
      say('There is no budget here yet: the first campaign creates it.');
    else for (const one of budgets) print(one);
    if (!flags.json) printLedger();
    return EXIT.ok;
  });
}

/** Across all folders and servers of this user, which the budget in one Temporal cannot see. */
function printLedger(): void {
  const view = viewLedger(process.env);
  if (!view) return;
  const lines = [...accountLines(view), ...rejectionLines(view)];
  if (lines.length > 0) printLine('sent from this machine:');
  for (const line of lines) printLine(`  ${line}`);
}

function print(status: BudgetStatus): void {
  const { service, address, now, addressWindow, credentials, use, outstanding, counts } = status;
  printLine(`${service} (${address})`);
  if (addressWindow.limit !== null || isBlocked(addressWindow))
    printLine(`  this machine's address: ${standing(addressWindow, now)}`);
  for (const { credential, ...window } of credentials) {
    printLine(`  credential ${credential}: ${standing(window, now)}`);
  }
  for (const line of use) printLine(`  ${useText(line, credentials.length > 1)}`);
  for (const { words } of noticesOf(status)) printLine(`  ${words}`);
  const ways = outstanding > 0 ? `${outstanding} in progress, ` : '';
  printLine(
    `  so far: ${ways}${counts.accepted} accepted, ${counts.refused} refused, ${counts.rejected429} answered with 429`,
  );
}

/** `campaign night of anna: 4 charged, 12 waiting, paused; share 2, priority 3, reserve 0` */
function useText(line: CampaignUse, several: boolean): string {
  const { campaign, user, credential, charged, waiting, share, paused, ...standing } = line;
  const under = several ? ` with ${credential}` : '';
  if (campaign === null) return `jobs of no campaign here${under}: ${charged} charged`;
  const name = `campaign ${campaign}${user === null ? '' : ` of ${user}`}${under}`;
  const counts = `${charged} charged, ${waiting} waiting${paused ? ', paused' : ''}`;
  return `${name}: ${counts}; ${standingText({ weight: share, ...standing })}`;
}

/** `5 of 5 used in 6 s, 0 free; the next slot frees up 14:55:16, the last one 14:55:20` */
function standing(window: WindowStatus, now: number): string {
  if (window.limit === null || isBlocked(window)) return windowText(window, now);
  const { charged, limit, windowMs, free, releases } = window;
  const used = `${charged} of ${limit} used in ${formatDuration(windowMs)}, ${free ?? 0} free`;
  const [next] = releases;
  const last = releases.at(-1);
  if (next === undefined || last === undefined) return used;
  const later = releases.length > 1 ? `, the last one ${clockText(last, now)}` : '';
  return `${used}; the next slot frees up ${clockText(next, now)}${later}`;
}
