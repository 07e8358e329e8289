/** The budget of a service in the live view: used slots, and when they free up along the rolling window. Pure. */
import {
  tightest,
  tightestFirst,
  type BlockStatus,
  type BudgetStatus,
  type WindowStatus,
} from '../../budget/status.ts';
import { formatDuration } from '../../domain/duration.ts';
import { clockText } from '../../domain/clock-text.ts';
import { bar, countText, isBlocked } from '../text/progress-text.ts';
import { padded, span, widthOf, type Line, type Span } from '../text/line.ts';

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

export function budgetLines(own: BudgetStatus, now: number, width: number): BudgetLines {
  const { service, counts, outstanding } = own;
  const title = titleOf(service);
  if (isBlocked(own)) return blockLines(title, own, now, width);
  const window = tightest(own);
  if (window === null) {
    const ways = outstanding > 0 ? `, ${outstanding} in progress` : '';
    const words = `no limit; ${countText(counts.accepted)} jobs accepted (all campaigns)${ways}`;
    return { first: [title, span(words)], second: null };
  }
  const used = usage(title, own, window, width);
  if (width >= ONE_LINE_FROM) {
    const gap = ' '.repeat(Math.max(2, USAGE_WIDTH - widthOf(used)));
    const soon = slotsSoon(window, now, width - widthOf(used) - gap.length);
    return { first: [...used, ...(soon ? [span(gap), ...soon] : [])], second: null };
  }
  const soon = slotsSoon(window, now, width - NAME_WIDTH);
  const indent = span(' '.repeat(NAME_WIDTH));
  return { first: used, second: soon && [indent, ...soon] };
}

function titleOf(name: string): Span {
  return span(padded(name, NAME_WIDTH), 'strong');
}

/** `predictions  next try 22:15:04: HTTP 503` */
function blockLines(title: Span, block: BlockStatus, now: number, width: number): BudgetLines {
  const { refusal, blockedUntil, blockedBecause } = block;
  const since = refusal ? `blocked since ${clockText(refusal.since, now)}, ` : '';
  const when = `${since}next try ${clockText(blockedUntil ?? now, now)}`;
  const why = refusal?.reason ?? blockedBecause ?? '';
  const line = [title, span(`${when}: ${why}`, 'warning')];
  if (widthOf(line) <= width) return { first: line, second: null };
  return { first: [title, span(when, 'warning')], second: [span(why, 'warning')] };
}

/** `predictions  ████████░░  64 of 100 in 1 h and 340 of 500 in 1 d, 36 free`: first the window that decides. */
function usage(title: Span, own: BudgetStatus, window: WindowStatus, width: number): Line {
  const { charged, limit } = window;
  const all = tightestFirst(own).map(
    (one) => `${one.charged} of ${one.limit} in ${formatDuration(one.windowMs)}`,
  );
  const words = `  ${all.join(' and ')}, ${own.free ?? 0} free`;
  const room = Math.min(24, width - NAME_WIDTH - words.length);
  if (room < 6) return [title, span(words.trimStart())];
  return [title, span(bar(charged / Math.max(1, limit), room)), span(words)];
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** `▂▁··█▁ +1 h  next slots 22:14:03 (2), 22:14:07`: how many slots free up when, within the next window. */
function slotsSoon(window: WindowStatus, now: number, room: number): Line | null {
  const releases = window.releases.filter((at) => at > now);
  if (releases.length === 0) return null;
  const narrow = room < NARROW;
  const axis = timeline(releases, now, window.windowMs, narrow ? 6 : 24);
  const end = ` +${formatDuration(window.windowMs)}`;
  const lines = [3, 2, 1].map((most) => [
    ...[span(axis), span(end, 'faint'), span(narrow ? '  next ' : '  next slots ')],
    span(slotTimes(releases, now, narrow ? 1 : most)),
  ]);
  return lines.find((line) => widthOf(line) <= room) ?? lines.at(-1) ?? null;
}

function timeline(
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
function slotTimes(releases: readonly number[], now: number, most: number): string {
  const counts = new Map<string, number>();
  for (const at of releases) {
    const time = clockText(at, now);
    if (!counts.has(time) && counts.size > most) break;
    counts.set(time, (counts.get(time) ?? 0) + 1);
  }
  const times = [...counts].map(([time, n]) => (n === 1 ? time : `${time} (${n})`));
  const shown = times.slice(0, most).join(', ');
  return times.length > most && most > 1 ? `${shown}, …` : shown;
}
