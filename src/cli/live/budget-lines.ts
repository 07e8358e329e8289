/** The budget of a service in the live view: used slots, and when they free up along the rolling window. Pure. */
import {
  findTightestWindow,
  sortByTightness,
  type BudgetStatus,
  type WindowStatus,
} from '../../budget/status.ts';
import { formatDuration, formatClock } from '../../domain/units.ts';
import { drawBar, countText, isBlocked } from '../text/progress-text.ts';
import { padText, createSpan, type Line } from '../text/line.ts';

const NAME_WIDTH = 13;
const INDENT = createSpan(' '.repeat(NAME_WIDTH));
/** Of the bar, and of the window below it. */
const BAR_WIDTH = 24;

/** The first line has the essentials; the second, if there is one, adds details. */
export function formatBudget(own: BudgetStatus, now: number, width: number): Line[] {
  const title = createSpan(padText(own.service, NAME_WIDTH), 'strong');
  if (isBlocked(own)) {
    const { refusal, blockedUntil, blockedBecause } = own;
    const since = refusal ? `blocked since ${formatClock(refusal.since, now)}, ` : '';
    const when = `${since}next try ${formatClock(blockedUntil ?? now, now)}`;
    const why = refusal?.reason ?? blockedBecause ?? '';
    return [
      [title, createSpan(when, 'warning')],
      [INDENT, createSpan(why, 'warning')],
    ];
  }
  const window = findTightestWindow(own);
  if (window === null) {
    const inProgress = own.outstanding > 0 ? `, ${own.outstanding} in progress` : '';
    const accepted = `${countText(own.counts.accepted)} jobs accepted (all campaigns)`;
    return [[title, createSpan(`no limit; ${accepted}${inProgress}`)]];
  }
  const used = formatUsage(own);
  const bar = drawBar(
    window.charged / Math.max(1, window.limit),
    Math.min(BAR_WIDTH, width - NAME_WIDTH - used.length - 2),
  );
  const releases = window.releases.filter((at) => at > now);
  const line = [title, createSpan(bar === '' ? '' : `${bar}  `), createSpan(used)];
  return releases.length === 0 ? [line] : [line, formatNextSlots(window, releases, now)];
}

/** `64 of 100 in 1 h and 340 of 500 in 1 d, 36 free`: first the window that decides. */
function formatUsage(own: BudgetStatus): string {
  const all = sortByTightness(own).map(
    ({ charged, limit, windowMs }) => `${charged} of ${limit} in ${formatDuration(windowMs)}`,
  );
  return `${all.join(' and ')}, ${own.free ?? 0} free`;
}

/** `▂▁··█▁ +1 h  next slots 22:14:03 (2), 22:14:07`: how many slots free up when, within the next window. */
function formatNextSlots(
  { windowMs }: WindowStatus,
  releases: readonly number[],
  now: number,
): Line {
  return [
    INDENT,
    createSpan(drawTimeline(releases, now, windowMs)),
    createSpan(` +${formatDuration(windowMs)}`, 'faint'),
    createSpan(`  next slots ${formatSlotTimes(releases, now)}`),
  ];
}

const LEVELS = '▁▂▃▄▅▆▇█';

function drawTimeline(releases: readonly number[], now: number, windowMs: number): string {
  const counts = Array.from({ length: BAR_WIDTH }, () => 0);
  for (const at of releases) {
    const cell = Math.min(BAR_WIDTH - 1, Math.floor(((at - now) / windowMs) * BAR_WIDTH));
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  const level = (n: number) => LEVELS[Math.ceil((n / most) * LEVELS.length) - 1] ?? '';
  return counts.map((n) => (n === 0 ? '·' : level(n))).join('');
}

/** `22:14:03 (2), 22:14:07, …` */
function formatSlotTimes(releases: readonly number[], now: number): string {
  const counts = Map.groupBy(releases, (at) => formatClock(at, now));
  const times = [...counts].map(([time, { length }]) =>
    length === 1 ? time : `${time} (${length})`,
  );
  return times.length > 2 ? `${times.slice(0, 2).join(', ')}, …` : times.join(', ');
}
