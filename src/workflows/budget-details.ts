/** What the Temporal UI shows of the budget of a service, in markdown. Pure. */
import { findTightestWindow, type BudgetStatus, type WindowStatus } from '../budget/status.ts';
import { formatDuration } from '../domain/units.ts';
import {
  joinBlocks,
  formatClock,
  formatSummary,
  formatTable,
  formatUtc,
  formatVerbatim,
} from './details.ts';

const SECONDS_SHOWN = 3;
const ROWS_SHOWN = 20;
/** Characters of the reason of a block. */
const WORDS = 120;
/** Of the name of a user. */
const NAME = 24;

/** The token is shown as its fingerprint, from which it cannot be derived. */
export function formatBudgetDetails(status: BudgetStatus): string {
  const { service, address, credential, outstanding, counts } = status;
  const { submissions, accepted, refused, rejected429 } = counts;
  return joinBlocks(
    `**${service}** at ${formatVerbatim(address)}, credential ${formatVerbatim(credential)}`,
    formatWindows(status),
    formatSlots(status),
    formatBlock(status),
    useTable(status),
    `${outstanding} in progress; ${submissions} sent in total, of which ${accepted} accepted, ` +
      `${refused} refused, ${rejected429} answered with 429.`,
  );
}

function formatWindows({ windows, open }: BudgetStatus): string {
  return formatTable(
    [{ title: 'charged' }, { title: 'free', numbers: true }],
    [
      ...(windows.length === 0 ? [['no limit', '']] : []),
      ...windows.map(formatWindowCells),
      ...(open ? [[`${open.jobs} of ${open.most} open`, '']] : []),
    ],
  );
}

function formatWindowCells({ limit, windowMs, charged, free }: WindowStatus): string[] {
  return [`${charged} of ${limit} in ${formatDuration(windowMs)}`, String(free)];
}

function formatSlots(status: BudgetStatus): string | null {
  const { releases } = findTightestWindow(status) ?? { releases: [] };
  return releases.length === 0 ? null : `Slots become free: ${formatReleases(releases)}`;
}

/** `3 at 22 Nov 02:14:33 UTC, 97 later`: many are released in the same second. */
function formatReleases(releases: readonly number[]): string {
  const bySecond = new Map<string, number>();
  let shown = 0;
  for (const at of releases) {
    const time = formatUtc(at);
    if (!bySecond.has(time) && bySecond.size === SECONDS_SHOWN) break;
    bySecond.set(time, (bySecond.get(time) ?? 0) + 1);
    shown += 1;
  }
  const parts = [...bySecond].map(([time, n]) => `${n} at ${time}`);
  if (shown < releases.length) parts.push(`${releases.length - shown} later`);
  return parts.join(', ');
}

/** Why nothing is sent, in the words of the service or of what went wrong. */
function formatBlock({ now, blockedUntil, blockedBecause, refusal }: BudgetStatus): string | null {
  if (blockedUntil === null && refusal === undefined) return null;
  const words = formatVerbatim(refusal?.reason ?? blockedBecause ?? '', WORDS);
  const since = refusal ? `has refused requests since ${formatUtc(refusal.since)}, ` : '';
  return `Blocked: ${since}next try ${formatUtc(blockedUntil ?? now)}: ${words}`;
}

function useTable({ use }: BudgetStatus): string {
  if (use.length === 0) return 'Not in use.';
  const rows = use
    .slice(0, ROWS_SHOWN)
    .map(({ campaign, user, paused, ...line }) => [
      campaign === null ? 'no campaign here' : formatVerbatim(campaign),
      user === null ? '' : formatVerbatim(user, NAME),
      line.charged,
      paused ? `${line.waiting} (paused)` : line.waiting,
      campaign === null ? '' : line.priority,
    ]);
  return formatTable(
    [
      ...[{ title: 'campaign' }, { title: 'user' }],
      ...[
        { title: 'charged', numbers: true },
        { title: 'waiting', numbers: true },
      ],
      { title: 'priority', numbers: true },
    ],
    rows,
  );
}

/** What the timer of a budget waits for. `at`, in ms: when it is over. */
export function formatTimerSummary(status: BudgetStatus, at: number): string {
  const { now, blockedUntil, blockedBecause } = status;
  if (blockedUntil !== at) return `slot frees ${formatClock(at, now)}`;
  return formatSummary(`next try ${formatClock(at, now)}: ${blockedBecause ?? ''}`);
}
