/** Each service and credential in words: submissions charged, submissions left, when the next slots free up. */
import { tightest, type BudgetStatus, type CredentialStatus } from '../../budget/status.ts';
import type { CampaignUse } from '../../budget/use.ts';
import { noticesOf } from '../../runner/events.ts';
import { clockText } from '../../domain/clock-text.ts';
import { accountLines, viewLedger } from '../../runner/logs.ts';
import { printLine } from './output.ts';
import { blockText, credentialText, isBlocked, usedText } from './progress-text.ts';

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
  const { service, address, now, addressBlock, credentials, use, outstanding, counts } = status;
  printLine(`${service} (${address})`);
  if (isBlocked(addressBlock))
    printLine(`  this machine's address: ${blockText(addressBlock, now)}`);
  for (const own of credentials) {
    printLine(`  credential ${own.credential}: ${standing(own, now)}`);
  }
  for (const line of use) printLine(`  ${useText(line, credentials.length > 1)}`);
  for (const { words } of noticesOf(status)) printLine(`  ${words}`);
  const ways = outstanding > 0 ? `${outstanding} in progress, ` : '';
  printLine(
    `  so far: ${ways}${counts.accepted} accepted, ${counts.refused} refused, ${counts.rejected429} answered with 429`,
  );
}

/** `campaign night of anna: 4 charged, 12 waiting, paused; priority 3` */
function useText(line: CampaignUse, several: boolean): string {
  const { campaign, user, credential, charged, waiting, priority, paused } = line;
  const under = several ? ` with ${credential}` : '';
  if (campaign === null) return `jobs of no campaign here${under}: ${charged} charged`;
  const name = `campaign ${campaign}${user === null ? '' : ` of ${user}`}${under}`;
  const counts = `${charged} charged, ${waiting} waiting${paused ? ', paused' : ''}`;
  return `${name}: ${counts}; priority ${priority}`;
}

/** `5 of 5 used in 6 s, 0 free; the next slot frees up 14:55:16, the last one 14:55:20` */
function standing(own: CredentialStatus, now: number): string {
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
