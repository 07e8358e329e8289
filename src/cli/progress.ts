/**
 * How a campaign is told: its progress as text, for `status` and the plain lines, and what the live view shows: sections in
 * a fixed order, for 80 columns. A wider terminal shows longer messages, a higher one more ends of items; on a small one,
 * sections are left out and lines are cut. Pure: (scene, size) → lines.
 */
import {
  type AccountStatus,
  type BudgetStatus,
  nameBudget,
  sortByTightness,
  type WindowStatus,
} from '../budget/status.ts';
import { describeFirst, type RecentEnd, countEnded, type FinalState } from '../domain/campaign.ts';
import { formatClock, formatDuration } from '../domain/units.ts';
import { type CampaignObservation, estimateEnd, type Observed } from '../runner/command-line.ts';
import { listKindNames, findKind } from '../kinds/registry.ts';
import {
  buildCampaignLink,
  countColumns,
  cutPath,
  cutText,
  padText,
  paint,
  TONE_OF_STATE,
} from './terminal.ts';

/** A state, and the items that are in it. */
type StateCount = readonly [string, number];

/**
 * Without states in which no item is. The campaign and its budgets write their counts at different times: a budget may
 * already have requests of items that the campaign does not count as open yet.
 */
function listCounts({ progress, waiting }: CampaignObservation): StateCount[] {
  const { ended, open, total } = progress;
  const running = Math.max(0, open - waiting);
  const left = { running, waiting: total - countEnded(ended) - running };
  return Object.entries({ ...ended, ...left }).filter(([, n]) => n > 0);
}

/** `18 of 24 done: 16 succeeded, 2 failed, 4 running, 2 waiting (sending 5 of kind sequence first, until one succeeds)` */
export function formatCounts(seen: CampaignObservation): string {
  const counts = listCounts(seen).map(([state, n]) => `${n} ${state}`);
  const first = (seen.progress.first ?? []).map((one) => ` (${describeFirst(one)})`).join('');
  const done = `${countEnded(seen.progress.ended)} of ${seen.progress.total} done`;
  return [done, `${counts.join(', ')}${first}`].filter(Boolean).join(': ');
}

/**
 * The state of a campaign that is not simply running: ` (publishing)`, or
 * ` (starts 22:00:00, in 7 h; run "hundredfold resume night" to start it now)`.
 */
export function formatState({ progress, at }: CampaignObservation): string {
  const { state, campaign, startsAt } = progress;
  if (state === 'paused') return ` (paused: run "hundredfold resume ${campaign}" to continue)`;
  if (state !== 'running') return ` (${state})`;
  if (startsAt === undefined) return '';
  const when = `starts ${formatClock(startsAt, at)}, ${formatIn(startsAt, at)}`;
  return ` (${when}; run "hundredfold resume ${campaign}" to start it now)`;
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
function describeBudget(own: AccountStatus, now: number): BudgetWords {
  const [window] = sortByTightness(own);
  return {
    used: formatUsed(own),
    next: isBlocked(own) ? formatBlock(own, now) : formatNext(window?.releases ?? [], now),
    share: window === undefined ? null : window.charged / window.limit,
  };
}

/** `predictions: 100 of 100 used in 1 h, 0 free; next slot 02:14:33 (in 14 min)` */
export function formatBudgetText(name: string, budget: AccountStatus, now: number): string {
  const { used, next } = describeBudget(budget, now);
  return `${name}: ${[used, next].filter(Boolean).join('; ')}`;
}

/** Open jobs are told while they are the reason to wait. */
function formatUsed(own: AccountStatus): string {
  const { open } = own;
  const isFull = open !== null && open.jobs >= open.most;
  const bound = isFull ? [`${open.jobs} of ${open.most} jobs open`] : [];
  const windows = sortByTightness(own).map(
    (window, i) =>
      `${countUsed(window)} of ${window.limit}${i === 0 ? ' used' : ''} in ${formatDuration(window.windowMs)}`,
  );
  if (bound.length + windows.length === 0) return 'no limit';
  return `${[...bound, ...windows].join(' and ')}, ${own.free ?? 0} free`;
}

/** Without requests that are in flight for a slot that becomes free now; more than the limit only after it was lowered. */
function countUsed({ charged, limit, releases }: WindowStatus): number {
  return Math.min(charged, Math.max(limit, releases.length));
}

function formatNext(releases: readonly number[], now: number): string {
  const [next, ...later] = releases.filter((at) => at > now);
  if (next === undefined) return '';
  const last = later.at(-1);
  const end = last === undefined ? '' : `, the last ${formatClock(last, now)}`;
  return `next slot ${formatClock(next, now)} (${formatIn(next, now)})${end}`;
}

/** Waits for a service that is down or refuses us. */
function isBlocked({ blockedUntil, refusal }: AccountStatus): boolean {
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
function formatNumber(n: number): string {
  return COUNT.format(n);
}

/** A bar of `width` characters, filled in proportion; empty if there is no room. */
function drawBar(share: number, room: number): string {
  const width = Math.max(0, room);
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

/* ---- the live view ---- */

export interface Scene {
  readonly followed: Observed;
  /** The Temporal UI; null when none is known. */
  readonly ui: string | null;
  /** ms since the epoch; later than the observation if no new one has arrived. */
  readonly now: number;
  readonly seen: CampaignObservation;
  /** A connection problem, or the effect of the last key; usually null. */
  readonly notice: string | null;
  /** Keys are shown only if there is a keyboard; `ctrlC`: what Ctrl-C does. */
  readonly keys: { readonly ctrlC: () => string } | null;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** On a small screen, these are left out, one after the other. */
const FIRST_TO_GO = ['links', 'kinds', 'ends', 'failures', 'budgets', 'keys'] as const;
type Section = 'campaign' | (typeof FIRST_TO_GO)[number];

/** Lines of failures, and of ends, with their title: blank lines come next, then older ends. */
const MAX_NEWS = 4;

/** Never more lines than rows, nor wider than the columns. */
export function renderScreen(scene: Scene, { columns, rows }: Size): string[] {
  const ends = formatLastEnds(scene);
  const sections = new Map<Section, readonly string[]>([
    ['campaign', formatCampaign(scene, columns)],
    ['budgets', formatBudgets(scene, columns).flat()],
    ['kinds', formatKinds(scene.seen)],
    ['failures', formatFailures(scene).slice(0, MAX_NEWS)],
    ['ends', ends.slice(0, MAX_NEWS)],
    ['links', formatLinks(scene, columns)],
    ['keys', formatKeys(scene)],
  ]);
  for (const name of FIRST_TO_GO)
    if (countLines(sections) > rows || sections.get(name)?.length === 0) sections.delete(name);
  const gaps = Math.max(0, Math.min(sections.size - 1, rows - countLines(sections)));
  const room = rows - countLines(sections) - gaps;
  if (room > 0 && sections.has('ends')) sections.set('ends', ends.slice(0, MAX_NEWS + room));
  return [...sections.values()]
    .flatMap((lines, n) => (n > 0 && n <= gaps ? ['', ...lines] : lines))
    .slice(0, rows)
    .map((line) => cutText(line, columns));
}

function countLines(sections: ReadonlyMap<Section, readonly string[]>): number {
  return [...sections.values()].reduce((sum, lines) => sum + lines.length, 0);
}

/** What stays on the terminal when the view closes; the closing message has the rest. */
export function renderClosingLines(scene: Scene, columns: number): string[] {
  const budgets = formatBudgets(scene, columns);
  const lines = [
    formatHead(scene, columns),
    paintCounts(listCounts(scene.seen)),
    ...budgets.flatMap(([first]) => first ?? []),
    ...formatFailures(scene).slice(0, 1),
  ];
  return lines.map((line) => cutText(line, columns));
}

/** How far it is, what blocks it, when it ends. */
function formatCampaign(scene: Scene, width: number): string[] {
  const { seen, now } = scene;
  const blocked = seen.obstacle ?? seen.hindered;
  const sent = seen.progress.first ?? [];
  const end = estimateEnd(seen);
  return [
    formatHead(scene, width),
    paintCounts(listCounts(seen)),
    ...(seen.progress.startsAt === undefined ? [] : [formatState(seen).trim()]),
    ...(blocked === null ? [] : [paint(blocked, 'bad')]),
    ...(sent.length === 0 ? [] : [paint(sent.map(describeFirst).join('; '), 'faint')]),
    ...(end === null || end <= now ? [] : [formatEnd(end, now)]),
  ];
}

/** `night  ████████░░░░  62 %  6,200 of 10,000 done` */
function formatHead({ followed, seen }: Scene, width: number): string {
  const { total, state } = seen.progress;
  const done = countEnded(seen.progress.ended);
  const share = done / Math.max(1, total);
  const name = paint(cutText(followed.name, Math.floor(width / 3)), 'strong');
  const words = ` ${Math.floor(share * 100)} %  ${formatNumber(done)} of ${formatNumber(total)} done`;
  const tone = state === 'paused' ? 'warning' : 'strong';
  const label = state === 'running' ? '' : `  ${paint(state, tone)}`;
  const room = width - countColumns(name + words + label) - 2;
  return `${name}  ${drawBar(share, Math.min(40, room))}${words}${label}`;
}

/** `6,200 succeeded  3 failed  100 running  3,697 waiting` */
function paintCounts(counts: readonly StateCount[]): string {
  const texts = counts.map(([state, n]) =>
    paint(`${formatNumber(n)} ${state}`, TONE_OF_STATE[state as FinalState]),
  );
  return texts.join('  ');
}

const NAME_WIDTH = 13;
const MAX_BAR_WIDTH = 24;

function formatBudgets({ seen: { budgets }, now }: Scene, width: number): string[][] {
  return budgets.map((one) => formatBudget(one, nameBudget(one, budgets), now, width));
}

/** The first line has the used slots; the second, if there is one, when it goes on, or why it waits. */
function formatBudget(budget: BudgetStatus, title: string, now: number, width: number): string[] {
  const { used, next, share } = describeBudget(budget, now);
  const nameWidth = Math.max(NAME_WIDTH, title.length + 2);
  const room = share === null ? 0 : width - nameWidth - used.length - 2;
  const bar = drawBar(share ?? 0, Math.min(MAX_BAR_WIDTH, room));
  const name = paint(padText(title, nameWidth), 'strong');
  const line = `${name}${bar === '' ? '' : `${bar}  `}${used}`;
  if (next === '') return [line];
  return [line, ' '.repeat(NAME_WIDTH) + paint(next, isBlocked(budget) ? 'warning' : 'plain')];
}

/** Empty if there is only one kind: the counts above already show it. */
function formatKinds({ progress, kinds }: CampaignObservation): string[] {
  const rows = listKindNames().flatMap((kind) => {
    const begun = progress.kinds?.[kind];
    // Without the tree, only rows that have begun are known.
    const done = begun === undefined ? 0 : countEnded(begun.ended);
    const left = kinds ? (kinds.items[kind] ?? 0) - done : (begun?.open ?? 0);
    const states = Object.entries({ ...begun?.ended, 'not done': left });
    const counts = states.filter(([, n]) => n > 0);
    const name = padText(findKind(kind).words.many, NAME_WIDTH);
    return counts.length === 0 ? [] : [name + paintCounts(counts)];
  });
  return rows.length < 2 ? [] : rows;
}

/** Why items did not succeed, then the latest of them. */
function formatFailures({ seen: { progress }, now }: Scene): string[] {
  const codes = Object.entries(progress.failuresByCode).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return [];
  const sums = codes.map(([code, n]) => `${formatNumber(n)} ${code}`).join(', ');
  const title = `${paint('not succeeded', 'strong')}  ${paint(sums, 'bad')}`;
  return [title, ...formatEnds(progress.failures ?? [], now)];
}

function formatLastEnds({ seen: { progress }, now }: Scene): string[] {
  const { recent = [] } = progress;
  return recent.length === 0 ? [] : [paint('last ends', 'strong'), ...formatEnds(recent, now)];
}

const MAX_ID_WIDTH = 28;

/** The newest first: `22:14:03  mol-17  failed: JOB_FAILED  acpype: …`. The date does not matter here. */
function formatEnds(ends: readonly RecentEnd[], now: number): string[] {
  const width = Math.min(MAX_ID_WIDTH, Math.max(0, ...ends.map(({ id }) => id.length)));
  return ends.toReversed().map(({ at, id, state, code, message }) => {
    const time = paint(formatClock(at, now).slice(-'22:14:03'.length), 'faint');
    const subject = padText(cutText(id, width), width);
    const end = paint(code === null ? state : `${state}: ${code}`, TONE_OF_STATE[state]);
    return `${time}  ${subject}  ${end}  ${paint(message ?? '')}`.trimEnd();
  });
}

/** The campaign in the Temporal UI, or the address of that alone if its page does not fit; and the folder. */
function formatLinks({ ui, followed: { name, folder } }: Scene, width: number): string[] {
  const title = 'Temporal UI  ';
  const room = width - title.length;
  const results = paint('results      ', 'faint') + paint(cutPath(folder, room));
  const links = ui === null ? [] : [buildCampaignLink(ui, name), ui];
  const link = links.find((one) => one.length <= room);
  return link === undefined ? [results] : [paint(title, 'faint') + link, results];
}

/** The notice, if there is one, and the keys. */
function formatKeys({ keys, notice, seen: { progress } }: Scene): string[] {
  const lines = notice === null ? [] : [paint(notice, 'warning')];
  if (!keys) return lines;
  const { state } = progress;
  const shown: [string, string][] = [['Ctrl-C', keys.ctrlC()]];
  if (state === 'running') shown.push(['p', 'pause']);
  if (state === 'paused') shown.push(['r', 'resume']);
  shown.push(['q', 'detach (the campaign continues)']);
  const texts = shown.map(([key, does]) => `${paint(key, 'strong')} ${paint(does, 'faint')}`);
  return [...lines, texts.join('   ')];
}
