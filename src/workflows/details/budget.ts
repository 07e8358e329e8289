/** What the Temporal UI shows of the budget of a service, in markdown. Pure. */
import type { BudgetStatus, WindowStatus } from '../../budget/status.ts';
import { formatDuration } from '../../domain/duration.ts';
import { blocks, table, verbatim } from './markdown.ts';
import { summary } from './summaries.ts';
import { utc } from './utc.ts';

const RELEASES_SHOWN = 5;
const ROWS_SHOWN = 30;
/** Characters of the reason of a block. */
const WORDS = 120;

/** Credentials are told by the fingerprint of their token, which cannot be turned back into one. */
export function budgetDetails(status: BudgetStatus): string {
  const { service, address, outstanding, counts } = status;
  const { submissions, accepted, refused, rejected429 } = counts;
  return blocks(
    `**${service}** at ${verbatim(address)}`,
    windowsTable(status),
    blocksText(status),
    queuesTable(status),
    `${outstanding} on their way; since the beginning ${submissions} sent, of which ${accepted} accepted, ` +
      `${refused} refused, ${rejected429} answered with 429.`,
  );
}

/** The windows of a budget by name: one for each credential, and that of the address where it has a limit. */
function windowsOf({
  credentials,
  addressWindow,
}: BudgetStatus): (readonly [string, WindowStatus])[] {
  const named = credentials.map(
    (window) => [`credential ${verbatim(window.credential)}`, window] as const,
  );
  return [...named, ['all of this address', addressWindow]];
}

function windowsTable(status: BudgetStatus): string {
  const windows = windowsOf(status).filter(
    ([, { limit }], i, all) => limit !== null || i < all.length - 1,
  );
  return table(
    [
      { title: 'window' },
      { title: 'charged', numbers: true },
      { title: 'free', numbers: true },
      { title: 'next slots' },
    ],
    windows
      .slice(0, ROWS_SHOWN)
      .map(([name, window]) => [name, ...windowCells(window, status.now)]),
  );
}

function windowCells(window: WindowStatus, now: number): string[] {
  const { limit, windowMs, charged, free, releases } = window;
  if (limit === null) return ['no limit', '', ''];
  const next = releases.slice(0, RELEASES_SHOWN).map((at) => utc(at, now));
  const more = releases.length - next.length;
  return [
    `${charged} of ${limit} in ${formatDuration(windowMs)}`,
    String(free ?? 0),
    next.join(', ') + (more > 0 ? ` and ${more} later` : ''),
  ];
}

/** Why nothing is sent, in the words of the service or of what went wrong. */
function blocksText(status: BudgetStatus): string | null {
  const lines = windowsOf(status).flatMap(([name, { blockedUntil, blockedBecause }]) =>
    blockedUntil === null
      ? []
      : [
          `- ${name}: asked again ${utc(blockedUntil, status.now)}: ${verbatim(blockedBecause ?? '', WORDS)}`,
        ],
  );
  return lines.length === 0 ? null : `Nothing is sent:\n\n${lines.slice(0, ROWS_SHOWN).join('\n')}`;
}

function queuesTable({ waiting }: BudgetStatus): string | null {
  if (waiting.length === 0) return 'Nobody waits.';
  return table(
    [{ title: 'campaign' }, { title: 'credential' }, { title: 'waiting', numbers: true }],
    waiting
      .slice(0, ROWS_SHOWN)
      .map(({ campaign, credential, items, paused }) => [
        verbatim(campaign),
        verbatim(credential),
        paused ? `${items} (paused)` : items,
      ]),
  );
}

/** What the timer of a budget waits for. `at`, in ms: when it is over. */
export function timerSummary(status: BudgetStatus, at: number): string {
  const { now } = status;
  const block = windowsOf(status).find(([, { blockedUntil }]) => blockedUntil === at)?.[1];
  if (!block) return `slot frees ${utc(at, now)}`;
  return summary(`asked again ${utc(at, now)}: ${block.blockedBecause ?? ''}`);
}
