/**
 * What the live view shows: its sections in a fixed order, for 80 columns. A wider terminal shows longer messages, a
 * higher one more ends of items; on a small one, sections are left out and lines are cut. Pure: (scene, size) → lines.
 */
import type { BudgetStatus } from '../budget/status.ts';
import { describeFirst, type KindProgress, type RecentEnd } from '../domain/campaign.ts';
import { countEnded, type FinalState } from '../domain/item.ts';
import { formatClock } from '../domain/units.ts';
import { listKindNames, findKind } from '../kinds/registry.ts';
import { estimateEnd, type CampaignObservation, type Observed } from '../runner/command-line.ts';
import {
  buildCampaignLink,
  buildUiLink,
  countColumns,
  cutPath,
  cutText,
  padText,
  paint,
  TONE_OF_STATE,
} from './terminal.ts';
import {
  countItems,
  formatNumber,
  describeBudget,
  drawBar,
  formatEnd,
  formatState,
  isBlocked,
  listCounts,
  type StateCount,
} from './progress-text.ts';

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
  const { budgets } = scene.seen;
  const ends = formatLastEnds(scene);
  const sections = new Map<Section, readonly string[]>([
    ['campaign', formatCampaign(scene, columns)],
    ['budgets', budgets.flatMap((one) => formatBudget(one, scene.now, columns))],
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
  const budgets = scene.seen.budgets.map((one) => formatBudget(one, scene.now, columns));
  const lines = [
    formatHead(scene, columns),
    formatCounts(listCounts(scene.seen)),
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
    formatCounts(listCounts(seen)),
    ...(seen.progress.startsAt === undefined ? [] : [formatState(seen).trim()]),
    ...(blocked === null ? [] : [paint(blocked, 'bad')]),
    ...(sent.length === 0 ? [] : [paint(sent.map(describeFirst).join('; '), 'faint')]),
    ...(end === null || end <= now ? [] : [formatEnd(end, now)]),
  ];
}

function countKind(kind: KindProgress | undefined): number {
  return kind === undefined ? 0 : countEnded(kind.ended);
}

/** `night  ████████░░░░  62 %  6,200 of 10,000 done` */
function formatHead({ followed, seen }: Scene, width: number): string {
  const { total, state } = seen.progress;
  const { done } = countItems(seen);
  const share = done / Math.max(1, total);
  const name = paint(cutText(followed.name, Math.floor(width / 3)), 'strong');
  const words = ` ${Math.floor(share * 100)} %  ${formatNumber(done)} of ${formatNumber(total)} done`;
  const tone = state === 'paused' ? 'warning' : 'strong';
  const label = state === 'running' ? '' : `  ${paint(state, tone)}`;
  const room = width - countColumns(name + words + label) - 2;
  return `${name}  ${drawBar(share, Math.min(40, room))}${words}${label}`;
}

/** `6,200 succeeded  3 failed  100 running  3,697 waiting` */
function formatCounts(counts: readonly StateCount[]): string {
  const texts = counts.map(([state, n]) =>
    paint(`${formatNumber(n)} ${state}`, TONE_OF_STATE[state as FinalState]),
  );
  return texts.join('  ');
}

const NAME_WIDTH = 13;
const MAX_BAR_WIDTH = 24;

/** The first line has the used slots; the second, if there is one, when it goes on, or why it waits. */
function formatBudget(budget: BudgetStatus, now: number, width: number): string[] {
  const { used, next, share } = describeBudget(budget, now);
  const room = share === null ? 0 : width - NAME_WIDTH - used.length - 2;
  const bar = drawBar(share ?? 0, Math.min(MAX_BAR_WIDTH, room));
  const name = paint(padText(budget.service, NAME_WIDTH), 'strong');
  const line = `${name}${bar === '' ? '' : `${bar}  `}${used}`;
  if (next === '') return [line];
  return [line, ' '.repeat(NAME_WIDTH) + paint(next, isBlocked(budget) ? 'warning' : 'plain')];
}

/** Empty if there is only one kind: the counts above already show it. */
function formatKinds({ progress, kinds }: CampaignObservation): string[] {
  const rows = listKindNames().flatMap((kind) => {
    const begun = progress.kinds?.[kind];
    // Without the tree, only rows that have begun are known.
    const left = kinds ? (kinds.items[kind] ?? 0) - countKind(begun) : (begun?.open ?? 0);
    const states: StateCount[] = [...Object.entries(begun?.ended ?? {}), ['not done', left]];
    const counts = states.filter(([, n]) => n > 0);
    const name = padText(findKind(kind).words.many, NAME_WIDTH);
    return counts.length === 0 ? [] : [name + formatCounts(counts)];
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

/** The page of all items in the Temporal UI; if its address does not fit, the campaign's own; and the folder. */
function formatLinks({ ui, followed: { name, folder } }: Scene, width: number): string[] {
  const title = 'Temporal UI  ';
  const room = width - title.length;
  const results = paint('results      ', 'faint') + paint(cutPath(folder, room));
  const links = ui === null ? [] : [buildUiLink(ui, name), buildCampaignLink(ui, name), ui];
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
