/** What the Temporal UI shows of the budget of a service, in markdown. Pure. */
import {
  tightest,
  type BlockStatus,
  type BudgetStatus,
  type CredentialStatus,
  type WindowStatus,
} from '../budget/status.ts';
import { formatDuration } from '../domain/duration.ts';
import { blocks, clock, summary, table, utc, verbatim } from './details.ts';

const SECONDS_SHOWN = 3;
const ROWS_SHOWN = 20;
/** Characters of the reason of a block. */
const WORDS = 120;
/** Of the name of a user. */
const NAME = 24;

/** Credentials are shown as fingerprints of their tokens, from which a token cannot be derived. */
export function budgetDetails(status: BudgetStatus): string {
  const { service, address, outstanding, counts } = status;
  const { submissions, accepted, refused, rejected429 } = counts;
  return blocks(
    `**${service}** at ${verbatim(address)}`,
    windowsTable(status),
    slotsText(status),
    blocksText(status),
    useTable(status),
    `${outstanding} in progress; ${submissions} sent in total, of which ${accepted} accepted, ` +
      `${refused} refused, ${rejected429} answered with 429.`,
  );
}

type Named<T> = readonly [name: string, of: T];

function credentialsOf({ credentials }: BudgetStatus): Named<CredentialStatus>[] {
  return credentials.map((own) => [`credential ${verbatim(own.credential)}`, own]);
}

/** The address is blocked when the service is down. */
function blocksOf(status: BudgetStatus): Named<BlockStatus>[] {
  return [...credentialsOf(status), ['all of this address', status.addressBlock]];
}

function windowsTable(status: BudgetStatus): string {
  return table(
    [{ title: 'window' }, { title: 'charged', numbers: true }, { title: 'free', numbers: true }],
    credentialsOf(status)
      .flatMap(([name, { windows, open }]) => [
        ...(windows.length === 0 ? [[name, 'no limit', '']] : []),
        ...windows.map((window) => [name, ...windowCells(window)]),
        ...(open ? [[name, `${open.jobs} of ${open.most} open`, '']] : []),
      ])
      .slice(0, ROWS_SHOWN),
  );
}

function windowCells({ limit, windowMs, charged, free }: WindowStatus): string[] {
  return [`${charged} of ${limit} in ${formatDuration(windowMs)}`, String(free)];
}

function slotsText(status: BudgetStatus): string | null {
  const lines = credentialsOf(status).flatMap(([name, own]) => {
    const { releases } = tightest(own) ?? { releases: [] };
    return releases.length === 0 ? [] : [`- ${name}: ${releasesText(releases)}`];
  });
  return lines.length === 0
    ? null
    : `Slots become free:\n\n${lines.slice(0, ROWS_SHOWN).join('\n')}`;
}

/** `3 at 22 Nov 02:14:33 UTC, 97 later`: many are released in the same second. */
function releasesText(releases: readonly number[]): string {
  const bySecond = new Map<string, number>();
  let shown = 0;
  for (const at of releases) {
    const time = utc(at);
    if (!bySecond.has(time) && bySecond.size === SECONDS_SHOWN) break;
    bySecond.set(time, (bySecond.get(time) ?? 0) + 1);
    shown += 1;
  }
  const parts = [...bySecond].map(([time, n]) => `${n} at ${time}`);
  if (shown < releases.length) parts.push(`${releases.length - shown} later`);
  return parts.join(', ');
}

/** Why nothing is sent, in the words of the service or of what went wrong. */
function blocksText(status: BudgetStatus): string | null {
  const blocked = blocksOf(status).filter(
    ([, { blockedUntil, refusal }]) => blockedUntil !== null || refusal !== undefined,
  );
  const lines = blocked.map(([name, { blockedUntil, blockedBecause, refusal }]) => {
    const words = verbatim(refusal?.reason ?? blockedBecause ?? '', WORDS);
    const since = refusal ? `has refused requests since ${utc(refusal.since)}, ` : '';
    return `- ${name}: ${since}next try ${utc(blockedUntil ?? status.now)}: ${words}`;
  });
  return lines.length === 0 ? null : `Blocked:\n\n${lines.slice(0, ROWS_SHOWN).join('\n')}`;
}

function useTable({ use }: BudgetStatus): string {
  if (use.length === 0) return 'Not in use.';
  const rows = use
    .slice(0, ROWS_SHOWN)
    .map(({ campaign, user, paused, ...line }) => [
      campaign === null ? 'no campaign here' : verbatim(campaign),
      user === null ? '' : verbatim(user, NAME),
      verbatim(line.credential),
      line.charged,
      paused ? `${line.waiting} (paused)` : line.waiting,
      campaign === null ? '' : line.priority,
    ]);
  return table(
    [
      ...[{ title: 'campaign' }, { title: 'user' }, { title: 'credential' }],
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
export function timerSummary(status: BudgetStatus, at: number): string {
  const { now } = status;
  const block = blocksOf(status).find(([, { blockedUntil }]) => blockedUntil === at)?.[1];
  if (!block) return `slot frees ${clock(at, now)}`;
  return summary(`next try ${clock(at, now)}: ${block.blockedBecause ?? ''}`);
}
