/** Each service and credential in words: submissions charged, submissions left, when the next slots free up. */
import { tightest, type BudgetStatus } from '../../budget/status.ts';
import type { CampaignUse } from '../../budget/use.ts';
import { noticesOf } from '../../runner/events.ts';
import { clockText } from '../../domain/clock-text.ts';
import { accountLines, viewLedger } from '../../runner/logs.ts';
import { printLine } from './output.ts';
import { credentialText, isBlocked, usedText } from './progress-text.ts';

export function printBudgets(budgets: readonly BudgetStatus[]): void {
  for (const one of budgets) print(one);
  printLedger();
}

/** Across all folders and servers of this user, which the budget in one Temporal cannot see. */
function printLedger(): void {
  const view = viewLedger(process.env);
  if (!view) return;
  const lines = accountLines(view);
  if (lines.length > 0) printLine('sent from this machine:');
  for (const line of lines) printLine(`  ${line}`);
}

function print(status: BudgetStatus): void {
  const { service, address, credential, now, use, outstanding, counts } = status;
  printLine(`${service} (${address})`);
  printLine(`  credential ${credential}: ${standing(status, now)}`);
  for (const line of use) printLine(`  ${useText(line)}`);
  for (const { words } of noticesOf(status)) printLine(`  ${words}`);
  const ways = outstanding > 0 ? `${outstanding} in progress, ` : '';
  printLine(
    `  so far: ${ways}${counts.accepted} accepted, ${counts.refused} refused, ${counts.rejected429} answered with 429`,
  );
}

/** `campaign night of anna: 4 charged, 12 waiting, paused; priority 3` */
function useText(line: CampaignUse): string {
  const { campaign, user, charged, waiting, priority, paused } = line;
  if (campaign === null) return `jobs of no campaign here: ${charged} charged`;
  const name = `campaign ${campaign}${user === null ? '' : ` of ${user}`}`;
  const counts = `${charged} charged, ${waiting} waiting${paused ? ', paused' : ''}`;
  return `${name}: ${counts}; priority ${priority}`;
}

/** `5 of 5 used in 6 s, 0 free; the next slot frees up 14:55:16, the last one 14:55:20` */
function standing(own: BudgetStatus, now: number): string {
  const window = tightest(own);
  if (window === null || isBlocked(own)) return credentialText(own, now);
  const used = `${usedText(own)}, ${own.free ?? 0} free`;
  const { releases } = window;
  const [next] = releases;
  const last = releases.at(-1);
  if (next === undefined || last === undefined) return used;
  const later = releases.length > 1 ? `, the last one ${clockText(last, now)}` : '';
  return `${used}; the next slot frees up ${clockText(next, now)}${later}`;
}
