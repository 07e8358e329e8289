/** The budget of a service in the live view: used slots, and when they free up along the rolling window. Pure. */
import {
  findTightestWindow,
  sortByTightness,
  type BlockStatus,
  type BudgetStatus,
  type WindowStatus,
} from '../../budget/status.ts';
import { formatDuration, formatClock } from '../../domain/units.ts';
import { drawBar, countText, isBlocked } from '../text/progress-text.ts';
import { padText, createSpan, countWidth, type Line, type Span } from '../text/line.ts';

/** The first line has the essentials; the second, if there is one, adds details. */
interface BudgetLines {
  readonly first: Line;
  readonly second: Line | null;
}

const NAME_WIDTH = 13;
/** From this width on, everything fits on one line. */
const ONE_LINE_FROM = 120;
/** Aligns the slots of all services if each has one line. */
const USAGE_WIDTH = 66;
/** If the slots have less space than this, only the next one is shown. */
const NARROW = 46;

export function formatBudget(own: BudgetStatus, now: number, width: number): BudgetLines {
  const { service, counts, outstanding } = own;
  const title = formatTitle(service);
  if (isBlocked(own)) return formatBlock(title, own, now, width);
  const window = findTightestWindow(own);
  if (window === null) {
    const ways = outstanding > 0 ? `, ${outstanding} in progress` : '';
    const words = `no limit; ${countText(counts.accepted)} jobs accepted (all campaigns)${ways}`;
    return { first: [title, createSpan(words)], second: null };
  }
  const used = formatUsage(title, own, window, width);
  if (width >= ONE_LINE_FROM) {
    const gap = ' '.repeat(Math.max(2, USAGE_WIDTH - countWidth(used)));
    const soon = formatNextSlots(window, now, width - countWidth(used) - gap.length);
    return { first: [...used, ...(soon ? [createSpan(gap), ...soon] : [])], second: null };
  }
  const soon = formatNextSlots(window, now, width - NAME_WIDTH);
  const indent = createSpan(' '.repeat(NAME_WIDTH));
  return { first: used, second: soon && [indent, ...soon] };
}

function formatTitle(name: string): Span {
  return createSpan(padText(name, NAME_WIDTH), 'strong');
}

/** `predictions  next try 22:15:04: HTTP 503` */
function formatBlock(title: Span, block: BlockStatus, now: number, width: number): BudgetLines {
  const { refusal, blockedUntil, blockedBecause } = block;
  const since = refusal ? `blocked since ${formatClock(refusal.since, now)}, ` : '';
  const when = `${since}next try ${formatClock(blockedUntil ?? now, now)}`;
  const why = refusal?.reason ?? blockedBecause ?? '';
  const line = [title, createSpan(`${when}: ${why}`, 'warning')];
  if (countWidth(line) <= width) return { first: line, second: null };
  return { first: [title, createSpan(when, 'warning')], second: [createSpan(why, 'warning')] };
}

/** `predictions  ████████░░  64 of 100 in 1 h and 340 of 500 in 1 d, 36 free`: first the window that decides. */
function formatUsage(title: Span, own: BudgetStatus, window: WindowStatus, width: number): Line {
  const { charged, limit } = window;
  const all = sortByTightness(own).map(
    (one) => `${one.charged} of ${one.limit} in ${formatDuration(one.windowMs)}`,
  );
  const words = `  ${all.join(' and ')}, ${own.free ?? 0} free`;
  const room = Math.min(24, width - NAME_WIDTH - words.length);
  if (room < 6) return [title, createSpan(words.trimStart())];
  return [title, createSpan(drawBar(charged / Math.max(1, limit), room)), createSpan(words)];
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** `▂▁··█▁ +1 h  next slots 22:14:03 (2), 22:14:07`: how many slots free up when, within the next window. */
function formatNextSlots(window: WindowStatus, now: number, room: number): Line | null {
  const releases = window.releases.filter((at) => at > now);
  if (releases.length === 0) return null;
  const narrow = room < NARROW;
  const axis = drawTimeline(releases, now, window.windowMs, narrow ? 6 : 24);
  const end = ` +${formatDuration(window.windowMs)}`;
  const lines = [3, 2, 1].map((most) => [
    ...[
      createSpan(axis),
      createSpan(end, 'faint'),
      createSpan(narrow ? '  next ' : '  next slots '),
    ],
    createSpan(formatSlotTimes(releases, now, narrow ? 1 : most)),
  ]);
  return lines.find((line) => countWidth(line) <= room) ?? lines.at(-1) ?? null;
}

function drawTimeline(
  releases: readonly number[],
  now: number,
  windowMs: number,
  cells: number,
): string {
  const counts = Array.from({ length: cells }, () => 0);
  for (const at of releases) {
    const cell = Math.min(cells - 1, Math.floor(((at - now) / windowMs) * cells));
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  const level = (n: number) => LEVELS[Math.ceil((n / most) * LEVELS.length) - 1] ?? '';
  return counts.map((n) => (n === 0 ? '·' : level(n))).join('');
}

/** `22:14:03 (2), 22:14:07, …` */
function formatSlotTimes(releases: readonly number[], now: number, most: number): string {
  const counts = new Map<string, number>();
  for (const at of releases) {
    const time = formatClock(at, now);
    if (!counts.has(time) && counts.size > most) break;
    counts.set(time, (counts.get(time) ?? 0) + 1);
  }
  const times = [...counts].map(([time, n]) => (n === 1 ? time : `${time} (${n})`));
  const shown = times.slice(0, most).join(', ');
  return times.length > most && most > 1 ? `${shown}, …` : shown;
}
