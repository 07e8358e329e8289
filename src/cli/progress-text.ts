/** A campaign's progress as text, for the live view and the plain lines. Pure. */
import {
  type AccountStatus,
  type BudgetStatus,
  sortByTightness,
  type CampaignUse,
} from '../budget/status.ts';
import { describeFirst } from '../domain/campaign.ts';
import { formatClock, formatDuration } from '../domain/units.ts';
import { countEnded } from '../domain/item.ts';
import {
  listNotices,
  formatAccounts,
  viewLedger,
  type CampaignObservation,
} from '../runner/command-line.ts';
import { printLine } from './terminal.ts';

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

/** A state, and the items that are in it. */
export type StateCount = readonly [string, number];

/** Without states in which no item is. */
export function listCounts(seen: CampaignObservation): StateCount[] {
  const { running, waiting } = countItems(seen);
  const open: StateCount[] = [
    ['running', running],
    ['waiting', waiting],
  ];
  return [...Object.entries(seen.progress.ended), ...open].filter(([, n]) => n > 0);
}

/** `18 of 24 done: 16 succeeded, 2 failed, 4 running, 2 waiting (sending 5 of kind sequence first, until one succeeds)` */
export function formatCounts(seen: CampaignObservation): string {
  const counts = listCounts(seen).map(([state, n]) => `${n} ${state}`);
  const first = (seen.progress.first ?? []).map((one) => ` (${describeFirst(one)})`).join('');
  const done = `${countItems(seen).done} of ${seen.progress.total} done`;
  return [done, `${counts.join(', ')}${first}`].filter(Boolean).join(': ');
}

/** The state of a campaign that is not simply running: ` (publishing)`. */
export function formatState({ progress, at }: CampaignObservation): string {
  const { state, campaign } = progress;
  if (state === 'running') return formatStart(progress, at);
  if (state === 'paused') return ` (paused: run "hundredfold resume ${campaign}" to continue)`;
  return ` (${state})`;
}

/** Of a campaign that has not begun: ` (starts 22:00:00, in 7 h; run "hundredfold resume night" to start it now)`. */
function formatStart({ startsAt, campaign }: CampaignObservation['progress'], now: number): string {
  if (startsAt === undefined) return '';
  const when = `starts ${formatClock(startsAt, now)}, in ${formatDuration(startsAt - now)}`;
  return ` (${when}; run "hundredfold resume ${campaign}" to start it now)`;
}

/** The reasons why services make us wait. */
export function listBlockReasons({ budgets }: CampaignObservation): string[] {
  // A refusal lasts until a probe succeeds.
  return budgets.flatMap(({ refusal, blockedBecause }) => refusal?.reason ?? blockedBecause ?? []);
}

interface BudgetWords {
  /** `88 of 100 used in 1 h and 340 of 500 in 1 d, 12 free`: first the window that decides. */
  readonly used: string;
  /** `next slot 02:14:33 (in 4 s), the last 02:20:01`, or why the service has to be waited for; may be empty. */
  readonly next: string;
  /** How much of the window that decides is used, from 0 to 1; null without a limit. */
  readonly share: number | null;
}

/** The same words in `status`, the live view and the plain lines. */
export function describeBudget(own: AccountStatus, now: number): BudgetWords {
  const [window] = sortByTightness(own);
  return {
    used: formatUsed(own),
    next: isBlocked(own) ? formatBlock(own, now) : formatNext(window?.releases ?? [], now),
    share: window === undefined ? null : window.charged / window.limit,
  };
}

/** `predictions: 100 of 100 used in 1 h, 0 free; next slot 02:14:33 (in 14 min)` */
export function formatBudgetText(budget: BudgetStatus, now: number): string {
  const { used, next } = describeBudget(budget, now);
  return `${budget.service}: ${[used, next].filter(Boolean).join('; ')}`;
}

/** Open jobs are told while they are the reason to wait. */
function formatUsed(own: AccountStatus): string {
  const { open } = own;
  const isFull = open !== null && open.jobs >= open.most;
  const bound = isFull ? [`${open.jobs} of ${open.most} jobs open`] : [];
  const windows = sortByTightness(own).map(
    ({ charged, limit, windowMs }, i) =>
      `${charged} of ${limit}${i === 0 ? ' used' : ''} in ${formatDuration(windowMs)}`,
  );
  if (bound.length + windows.length === 0) return 'no limit';
  return `${[...bound, ...windows].join(' and ')}, ${own.free ?? 0} free`;
}

function formatNext(releases: readonly number[], now: number): string {
  const [next, ...later] = releases.filter((at) => at > now);
  if (next === undefined) return '';
  const last = later.at(-1);
  const end = last === undefined ? '' : `, the last ${formatClock(last, now)}`;
  return `next slot ${formatClock(next, now)} (${formatIn(next, now)})${end}`;
}

/** Waits for a service that is down or refuses us. */
export function isBlocked({ blockedUntil, refusal }: AccountStatus): boolean {
  return blockedUntil !== null || refusal !== undefined;
}

function formatBlock(
  { blockedUntil, blockedBecause, refusal }: AccountStatus,
  now: number,
): string {
  const state = refusal ? `blocked since ${formatClock(refusal.since, now)}` : 'waiting';
  const why = refusal?.reason ?? blockedBecause ?? '';
  return `${state}, next try ${formatIn(blockedUntil ?? now, now)}: ${why}`;
}

function formatIn(at: number, now: number): string {
  return at - now < 500 ? 'now' : `in ${formatDuration(at - now)}`;
}

/** The last submission is then, and its job still has to run. */
export function formatEnd(at: number, now: number): string {
  return `end expected soon after ${formatClock(at, now)} (in ${formatDuration(at - now)})`;
}

// Created once: `toLocaleString` creates one per call, which was half the cost of the live view.
const COUNT = new Intl.NumberFormat('en');

/** `10,000` */
export function formatNumber(n: number): string {
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
  const { used, next } = describeBudget(status, now);
  printLine(`${service} (${address})`);
  printLine(`  credential ${credential}: ${[used, next].filter(Boolean).join('; ')}`);
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
