/**
 * What the live view shows: its sections in a fixed order, for 80 columns. A wider terminal shows longer messages, a
 * higher one more ends of items; on a small one, sections are left out and lines are cut. Pure: (scene, size) → lines.
 */
import type { BudgetStatus } from '../../budget/status.ts';
import { describeFirst, type KindProgress, type RecentEnd } from '../../domain/campaign.ts';
import { countEnded, type FinalState } from '../../domain/item.ts';
import { formatClock } from '../../domain/units.ts';
import { listKindNames, findKind } from '../../kinds/registry.ts';
import { estimateEnd, type CampaignObservation, type Observed } from '../../runner/command-line.ts';
import { buildCampaignLink, buildUiLink } from '../links.ts';
import {
  countWidth,
  createSpan,
  cutLine,
  cutPath,
  cutText,
  type Line,
  padText,
  TONE_OF_STATE,
} from '../text/line.ts';
import {
  countItems,
  countText,
  describeBudget,
  drawBar,
  endText,
  isBlocked,
  listCounts,
  type StateCount,
} from '../text/progress-text.ts';

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
export function renderScreen(scene: Scene, { columns, rows }: Size): Line[] {
  const { budgets } = scene.seen;
  const ends = formatLastEnds(scene);
  const sections = new Map<Section, readonly Line[]>([
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
    .flatMap((lines, n) => (n > 0 && n <= gaps ? [[], ...lines] : lines))
    .slice(0, rows)
    .map((line) => cutLine(line, columns));
}

function countLines(sections: ReadonlyMap<Section, readonly Line[]>): number {
  return [...sections.values()].reduce((sum, lines) => sum + lines.length, 0);
}

/** What stays on the terminal when the view closes; the closing message has the rest. */
export function renderClosingLines(scene: Scene, columns: number): Line[] {
  const budgets = scene.seen.budgets.map((one) => formatBudget(one, scene.now, columns));
  const lines = [
    formatHead(scene, columns),
    formatCounts(listCounts(scene.seen)),
    ...budgets.flatMap(([first]) => (first ? [first] : [])),
    ...formatFailures(scene).slice(0, 1),
  ];
  return lines.map((line) => cutLine(line, columns));
}

/** How far it is, what blocks it, when it ends. */
function formatCampaign(scene: Scene, width: number): Line[] {
  const { seen, now } = scene;
  const blocked = seen.obstacle ?? seen.hindered;
  const sent = seen.progress.first ?? [];
  const end = estimateEnd(seen);
  return [
    formatHead(scene, width),
    formatCounts(listCounts(seen)),
    ...(blocked === null ? [] : [[createSpan(blocked, 'bad')]]),
    ...(sent.length === 0 ? [] : [[createSpan(sent.map(describeFirst).join('; '), 'faint')]]),
    ...(end === null || end <= now ? [] : [[createSpan(endText(end, now))]]),
  ];
}

function countKind(kind: KindProgress | undefined): number {
  return kind === undefined ? 0 : countEnded(kind.ended);
}

/** `night  ████████░░░░  62 %  6,200 of 10,000 done` */
function formatHead({ followed, seen }: Scene, width: number): Line {
  const { total, state } = seen.progress;
  const { done } = countItems(seen);
  const share = done / Math.max(1, total);
  const name = createSpan(cutText(followed.name, Math.floor(width / 3)), 'strong');
  const words = ` ${Math.floor(share * 100)} %  ${countText(done)} of ${countText(total)} done`;
  const tone = state === 'paused' ? 'warning' : 'strong';
  const label = state === 'running' ? [] : [createSpan(`  ${state}`, tone)];
  const rest = countWidth([name, createSpan(words), ...label]);
  const bar = drawBar(share, Math.min(40, width - rest - 2));
  return [name, createSpan(`  ${bar}`), createSpan(words), ...label];
}

/** `6,200 succeeded  3 failed  100 running  3,697 waiting` */
function formatCounts(counts: readonly StateCount[]): Line {
  return counts.map(([state, n]) =>
    createSpan(`${countText(n)} ${state}  `, TONE_OF_STATE[state as FinalState]),
  );
}

const NAME_WIDTH = 13;
const MAX_BAR_WIDTH = 24;

/** The first line has the used slots; the second, if there is one, when it goes on, or why it waits. */
function formatBudget(budget: BudgetStatus, now: number, width: number): Line[] {
  const { used, next, share } = describeBudget(budget, now);
  const room = share === null ? 0 : width - NAME_WIDTH - used.length - 2;
  const bar = drawBar(share ?? 0, Math.min(MAX_BAR_WIDTH, room));
  const name = createSpan(padText(budget.service, NAME_WIDTH), 'strong');
  const line = [name, createSpan(bar === '' ? '' : `${bar}  `), createSpan(used)];
  const indent = createSpan(' '.repeat(NAME_WIDTH));
  return next === ''
    ? [line]
    : [line, [indent, createSpan(next, isBlocked(budget) ? 'warning' : 'plain')]];
}

/** Empty if there is only one kind: the counts above already show it. */
function formatKinds({ progress, kinds }: CampaignObservation): Line[] {
  const rows = listKindNames().flatMap((kind) => {
    const begun = progress.kinds?.[kind];
    // Without the tree, only rows that have begun are known.
    const left = kinds ? (kinds.items[kind] ?? 0) - countKind(begun) : (begun?.open ?? 0);
    const states: StateCount[] = [...Object.entries(begun?.ended ?? {}), ['not done', left]];
    const counts = states.filter(([, n]) => n > 0);
    const name = createSpan(padText(findKind(kind).words.many, NAME_WIDTH));
    return counts.length === 0 ? [] : [[name, ...formatCounts(counts)]];
  });
  return rows.length < 2 ? [] : rows;
}

/** Why items did not succeed, then the latest of them. */
function formatFailures({ seen: { progress }, now }: Scene): Line[] {
  const codes = Object.entries(progress.failuresByCode).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return [];
  const sums = codes.map(([code, n]) => `${countText(n)} ${code}`).join(', ');
  const title = [createSpan('not succeeded  ', 'strong'), createSpan(sums, 'bad')];
  return [title, ...formatEnds(progress.failures ?? [], now)];
}

function formatLastEnds({ seen: { progress }, now }: Scene): Line[] {
  const { recent = [] } = progress;
  return recent.length === 0
    ? []
    : [[createSpan('last ends', 'strong')], ...formatEnds(recent, now)];
}

const MAX_ID_WIDTH = 28;

/** The newest first: `22:14:03  mol-17  failed: JOB_FAILED  acpype: …`. The date does not matter here. */
function formatEnds(ends: readonly RecentEnd[], now: number): Line[] {
  const width = Math.min(MAX_ID_WIDTH, Math.max(0, ...ends.map(({ id }) => id.length)));
  return ends
    .toReversed()
    .map(({ at, id, state, code, message }) => [
      createSpan(`${formatClock(at, now).slice(-'22:14:03'.length)}  `, 'faint'),
      createSpan(`${padText(cutText(id, width), width)}  `),
      createSpan(code === null ? state : `${state}: ${code}  `, TONE_OF_STATE[state]),
      createSpan(message ?? ''),
    ]);
}

/** The page of all items in the Temporal UI; if its address does not fit, the campaign's own; and the folder. */
function formatLinks({ ui, followed }: Scene, width: number): Line[] {
  const results = 'results      ';
  const folder = createSpan(cutPath(followed.folder, width - results.length));
  const lines: Line[] = [[createSpan(results, 'faint'), folder]];
  if (ui === null) return lines;
  const title = 'Temporal UI  ';
  const links = [buildUiLink(ui, followed.name), buildCampaignLink(ui, followed.name), ui];
  const link = links.find((one) => title.length + one.length <= width);
  return link === undefined ? lines : [[createSpan(title, 'faint'), createSpan(link)], ...lines];
}

/** The notice, if there is one, and the keys. */
function formatKeys({ keys, notice, seen: { progress } }: Scene): Line[] {
  const lines: Line[] = notice === null ? [] : [[createSpan(notice, 'warning')]];
  if (!keys) return lines;
  const { state } = progress;
  const shown = [
    ['Ctrl-C', keys.ctrlC()],
    ...(state === 'running' ? [['p', 'pause']] : []),
    ...(state === 'paused' ? [['r', 'resume']] : []),
    ['q', 'detach (the campaign continues)'],
  ];
  const spans = shown.flatMap(([key = '', does = '']) => [
    createSpan(key, 'strong'),
    createSpan(` ${does}   `, 'faint'),
  ]);
  return [...lines, spans];
}
