/** A campaign's progress as text, for the live view and the plain lines. Pure. */
import {
  type AccountStatus,
  type BlockStatus,
  type BudgetStatus,
  findTightestWindow,
  sortByTightness,
  type CampaignUse,
} from '../../budget/status.ts';
import { describeFirst } from '../../domain/campaign.ts';
import { formatClock, formatDuration } from '../../domain/units.ts';
import { countEnded } from '../../domain/item.ts';
import {
  listNotices,
  formatAccounts,
  viewLedger,
  type CampaignObservation,
} from '../../runner/command-line.ts';
import { printLine } from './output.ts';

interface ItemCounts {
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
}

/**
 * The campaign and its budgets write their counts at different times: a budget may already have requests of items that
 * the campaign does not count as open yet.
 */
export function countItems({ progress, waiting }: CampaignObservation): ItemCounts {
  const { ended, open, total } = progress;
  const done = countEnded(ended);
  const running = Math.max(0, open - waiting);
  return { done, running, waiting: total - done - running };
}

/** `18 of 24 done: 16 succeeded, 2 failed; 4 running, 2 waiting (sending 5 of kind sequence first, until one succeeds)` */
export function formatCounts(seen: CampaignObservation): string {
  const { ended, total } = seen.progress;
  const { done, running, waiting } = countItems(seen);
  const states = Object.entries(ended).filter(([, n]) => n > 0);
  const now = [
    ['running', running],
    ['waiting', waiting],
  ] as const;
  const say = (parts: readonly (readonly [string, number])[]) =>
    parts
      .filter(([, n]) => n > 0)
      .map(([word, n]) => `${n} ${word}`)
      .join(', ');
  const counts = [say(states), say(now)].filter(Boolean).join('; ');
  const first = (seen.progress.first ?? []).map((one) => ` (${describeFirst(one)})`).join('');
  return [`${done} of ${total} done`, `${counts}${first}`].filter(Boolean).join(': ');
}

/** The state of a campaign that is not simply running: ` (publishing)`. */
export function formatState({ progress: { state, campaign } }: CampaignObservation): string {
  if (state === 'running') return '';
  if (state === 'paused') return ` (paused: run "hundredfold resume ${campaign}" to continue)`;
  return ` (${state})`;
}

/** The reasons why services make us wait. */
export function listBlockReasons({ budgets }: CampaignObservation): string[] {
  // A refusal lasts until a probe succeeds.
  return budgets.flatMap(({ refusal, blockedBecause }) => refusal?.reason ?? blockedBecause ?? []);
}

/** `predictions: 100 of 100 used in 1 h, next slot in 14 min` */
export function formatBudgetText(budget: BudgetStatus, now: number): string {
  return `${budget.service}: ${formatCredential(budget, now)}`;
}

/** `5 of 5 used in 6 s, next slot in 4 s`, or why it waits. */
function formatCredential(own: AccountStatus, now: number): string {
  if (isBlocked(own)) return formatBlockText(own, now);
  if (own.windows.length === 0 && !isAtMostOpen(own)) return 'no limit';
  const used = formatUsed(own);
  if (own.free !== 0 || own.nextFreeAt === null || isAtMostOpen(own)) return used;
  return `${used}, next slot ${formatIn(own.nextFreeAt, now)}`;
}

/**
 * `5 of 5 used in 6 s`; of several windows the one that decides first: `100 of 100 used in 1 h and 340 of 500 in 1 d`.
 * Open jobs are told while they are the reason to wait.
 */
function formatUsed(own: AccountStatus): string {
  const windows = sortByTightness(own).map(
    ({ charged, limit, windowMs }, i) =>
      `${charged} of ${limit}${i === 0 ? ' used' : ''} in ${formatDuration(windowMs)}`,
  );
  const open = isAtMostOpen(own) ? [`${own.open.jobs} of ${own.open.most} jobs open`] : [];
  return [...open, ...windows].join(' and ');
}

function isAtMostOpen(
  own: AccountStatus,
): own is AccountStatus & { readonly open: NonNullable<AccountStatus['open']> } {
  return own.open !== null && own.open.jobs >= own.open.most;
}

/** Waits for a service that is down or refuses us. */
export function isBlocked({ blockedUntil, refusal }: BlockStatus): boolean {
  return blockedUntil !== null || refusal !== undefined;
}

function formatBlockText(block: BlockStatus, now: number): string {
  const { blockedUntil, blockedBecause, refusal } = block;
  const state = refusal ? `blocked since ${formatClock(refusal.since, now)}` : 'waiting';
  const why = refusal?.reason ?? blockedBecause ?? '';
  return `${state}, next try ${formatIn(blockedUntil ?? now, now)}: ${why}`;
}

function formatIn(at: number, now: number): string {
  return at - now < 500 ? 'now' : `in ${formatDuration(at - now)}`;
}

/** `end expected soon after 02:14:33 (in 7 h 12 min)`: the time of the last submission, whose job still has to run. */
export function endText(at: number, now: number): string {
  return `end expected soon after ${formatClock(at, now)} (in ${formatDuration(at - now)})`;
}

// Created once: `toLocaleString` creates one per call, which was half the cost of the live view.
const COUNT = new Intl.NumberFormat('en');

/** `10,000` */
export function countText(n: number): string {
  return COUNT.format(n);
}

/** A bar of `width` characters, filled in proportion; empty if there is no room. */
export function drawBar(share: number, room: number): string {
  const width = Math.max(0, room);
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

export function printBudgets(budgets: readonly BudgetStatus[]): void {
  for (const one of budgets) printBudget(one);
  printLedger();
}

/** Across all folders and servers of this user, which the budget in one Temporal cannot see. */
function printLedger(): void {
  const view = viewLedger(process.env);
  if (!view) return;
  const lines = formatAccounts(view);
  if (lines.length > 0) printLine('sent from this machine:');
  for (const line of lines) printLine(`  ${line}`);
}

function printBudget(status: BudgetStatus): void {
  const { service, address, credential, now, use, outstanding, counts } = status;
  printLine(`${service} (${address})`);
  printLine(`  credential ${credential}: ${formatUsedAndFree(status, now)}`);
  for (const line of use) printLine(`  ${useText(line)}`);
  for (const { words } of listNotices(status)) printLine(`  ${words}`);
  const ways = outstanding > 0 ? `${outstanding} in progress, ` : '';
  printLine(
    `  so far: ${ways}${counts.accepted} accepted, ${counts.refused} refused, ${counts.rejected429} answered with 429`,
  );
}

/** `campaign night of anna: 4 charged, 12 waiting, paused; priority 3`, without a priority where none waits. */
function useText(line: CampaignUse): string {
  const { campaign, user, charged, waiting, priority, paused } = line;
  if (campaign === null) return `jobs of no campaign here: ${charged} charged`;
  const name = `campaign ${campaign}${user === null ? '' : ` of ${user}`}`;
  const counts = `${charged} charged, ${waiting} waiting${paused ? ', paused' : ''}`;
  return `${name}: ${counts}${waiting > 0 ? `; priority ${priority}` : ''}`;
}

/** `5 of 5 used in 6 s, 0 free; the next slot frees up 14:55:16, the last one 14:55:20` */
function formatUsedAndFree(own: BudgetStatus, now: number): string {
  const window = findTightestWindow(own);
  if (window === null || isBlocked(own)) return formatCredential(own, now);
  const used = `${formatUsed(own)}, ${own.free ?? 0} free`;
  const { releases } = window;
  const [next] = releases;
  const last = releases.at(-1);
  if (next === undefined || last === undefined) return used;
  const later = releases.length > 1 ? `, the last one ${formatClock(last, now)}` : '';
  return `${used}; the next slot frees up ${formatClock(next, now)}${later}`;
}
