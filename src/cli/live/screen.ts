/**
 * What the live view shows: its sections in a fixed order, for 80 columns. A wider terminal shows longer messages, a
 * higher one more events; on a small one, sections are left out and lines are cut. Pure: (scene, size) → lines.
 */
import { describeFirst, type RecentEnd } from '../../domain/campaign.ts';
import { countEnded, type FinalState } from '../../domain/item.ts';
import { formatClock, formatDuration } from '../../domain/units.ts';
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
  type Span,
  type Tone,
  TONE_OF_STATE,
} from '../text/line.ts';
import { drawBar, countItems, countText } from '../text/progress-text.ts';
import { formatBudget } from './budget-lines.ts';
import type { CampaignPace, Happening } from './recent-events.ts';

export interface Scene {
  readonly followed: Observed;
  /** The Temporal UI; null when none is known. */
  readonly ui: string | null;
  /** ms since the epoch; later than the observation if no new one has arrived. */
  readonly now: number;
  readonly seen: CampaignObservation;
  /** Oldest first. */
  readonly happenings: readonly Happening[];
  readonly pace: CampaignPace | null;
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
const FIRST_TO_GO = ['links', 'kinds', 'events', 'failures', 'budgets', 'keys'] as const;
type Section = 'campaign' | (typeof FIRST_TO_GO)[number];

/** Lines of failures, and of events, with their title: blank lines come next, then older events. */
const MAX_NEWS = 4;

/** Never more lines than rows, nor wider than the columns. */
export function renderScreen(scene: Scene, { columns, rows }: Size): Line[] {
  const events = formatHappenings(scene);
  const sections = new Map<Section, readonly Line[]>([
    ['campaign', formatCampaign(scene, columns)],
    ['budgets', scene.seen.budgets.flatMap((one) => formatBudget(one, scene.now, columns))],
    ['kinds', formatKindTable(scene.seen)],
    ['failures', formatFailures(scene).slice(0, MAX_NEWS)],
    ['events', events.slice(0, MAX_NEWS)],
    ['links', formatLinks(scene, columns)],
    ['keys', formatKeys(scene)],
  ]);
  for (const name of FIRST_TO_GO)
    if (countLines(sections) > rows || sections.get(name)?.length === 0) sections.delete(name);
  const gaps = Math.max(0, Math.min(sections.size - 1, rows - countLines(sections)));
  const room = rows - countLines(sections) - gaps;
  if (room > 0 && sections.has('events')) sections.set('events', events.slice(0, MAX_NEWS + room));
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
    formatCounts(scene),
    ...budgets.flatMap(([first]) => (first ? [first] : [])),
    ...formatFailures(scene).slice(0, 1),
  ];
  return lines.map((line) => cutLine(line, columns));
}

/** How far it is, what blocks it, when it ends. */
function formatCampaign(scene: Scene, width: number): Line[] {
  const { obstacle, hindered, progress } = scene.seen;
  const blocked = obstacle ?? hindered;
  const { first = [] } = progress;
  const lines = [
    formatHead(scene, width),
    formatCounts(scene),
    blocked === null ? [] : [createSpan(blocked, 'bad')],
    first.length === 0 ? [] : [createSpan(first.map(describeFirst).join('; '), 'faint')],
    formatEnd(scene),
    formatPace(scene),
  ];
  return lines.filter((line) => line.length > 0);
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
function formatCounts({ seen }: Scene): Line {
  const { running, waiting } = countItems(seen);
  const counts: [string, number, Tone][] = [
    ...Object.entries(seen.progress.ended).map(
      ([state, n]) => [state, n, TONE_OF_STATE[state as FinalState]] as [string, number, Tone],
    ),
    ['running', running, 'plain'],
    ['waiting', waiting, 'plain'],
  ];
  return counts
    .filter(([, n]) => n > 0)
    .flatMap(([state, n, tone], at) => [
      createSpan(at === 0 ? '' : '  '),
      createSpan(`${countText(n)} ${state}`, tone),
    ]);
}

/** `end expected about 02:14:33 (in 7 h 12 min)` */
function formatEnd({ seen, now, pace }: Scene): Line {
  const end = estimateEnd(seen, pace);
  if (end === null || end <= now) return [];
  return [
    createSpan('end expected about '),
    createSpan(formatClock(end, now), 'strong'),
    createSpan(` (in ${formatDuration(end - now)})`),
  ];
}

/** `34 done, 20 accepted in the last 5 min` */
function formatPace({ pace }: Scene): Line {
  if (!pace) return [];
  const counts = `${countText(pace.ended)} done, ${countText(pace.accepted)} accepted`;
  return [createSpan(`${counts} in the last ${formatDuration(pace.overMs)}`, 'faint')];
}

const COLUMNS = ['succeeded', 'failed', 'held', 'cancelled', 'not done', 'total'] as const;
const TONE: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  held: 'warning',
};

/** Empty if there is only one kind: the counts above already show it. */
function formatKindTable({ progress, kinds }: CampaignObservation): Line[] {
  const rows = listKindNames().flatMap((kind) => {
    const { open = 0, ended } = progress.kinds?.[kind] ?? {};
    const done = ended ? countEnded(ended) : 0;
    // Without the tree, only rows that have begun are known.
    const total = kinds?.items[kind] ?? open + done;
    const cells = [...COLUMNS.slice(0, 4).map((state) => ended?.[state as FinalState] ?? 0)];
    return total === 0 ? [] : [{ kind, cells: [...cells, total - done, total] }];
  });
  if (rows.length < 2) return [];
  const name = Math.max(...rows.map(({ kind }) => findKind(kind).words.many.length));
  const shown = COLUMNS.flatMap((column, at) => {
    const isShown = at === 0 || rows.some(({ cells }) => (cells[at] ?? 0) > 0);
    const width = Math.max(
      column.length,
      countText(Math.max(...rows.map(({ cells }) => cells[at] ?? 0))).length,
    );
    return isShown ? [{ column, at, width: width + 2 }] : [];
  });
  const header = shown.map(({ column, width }) => createSpan(column.padStart(width), 'faint'));
  return [
    [createSpan(padText('', name)), ...header],
    ...rows.map(({ kind, cells }) => [
      createSpan(padText(findKind(kind).words.many, name)),
      ...shown.map(({ column, at, width }) => {
        const n = cells[at] ?? 0;
        const tone = n > 0 ? (TONE[column] ?? 'plain') : 'faint';
        return createSpan(countText(n).padStart(width), tone);
      }),
    ]),
  ];
}

/** Why items did not succeed, then the latest of them, newest first. */
function formatFailures({ seen: { progress }, now }: Scene): Line[] {
  const codes = Object.entries(progress.failuresByCode).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return [];
  const sums = codes.map(([code, n]) => `${countText(n)} ${code}`).join(', ');
  const failures = (progress.failures ?? []).toReversed();
  const ids = failures.map(({ id }) => id);
  const line = ({ at, id, code, message, state }: RecentEnd): Line => [
    ...formatSubject(at, now, id, ids),
    createSpan(`${code ?? state}  `, TONE_OF_STATE[state]),
    createSpan(message ?? ''),
  ];
  return [
    [createSpan('not succeeded  ', 'strong'), createSpan(sums, 'bad')],
    ...failures.map(line),
  ];
}

/** The newest first. */
function formatHappenings({ happenings, now }: Scene): Line[] {
  if (happenings.length === 0) return [];
  const newest = happenings.toReversed();
  const subjects = newest.map(({ subject }) => subject);
  const line = ({ at, subject, words, tone }: Happening): Line => [
    ...formatSubject(at, now, subject, subjects),
    createSpan(words, tone),
  ];
  return [[createSpan('last events', 'strong')], ...newest.map(line)];
}

const MAX_ID_WIDTH = 28;

/** `22:14:03  mol-17   `, as wide as the widest of them; the date does not matter here. */
function formatSubject(at: number, now: number, id: string, all: readonly string[]): Span[] {
  const time = formatClock(at, now).slice(-'22:14:03'.length);
  const width = Math.min(MAX_ID_WIDTH, Math.max(...all.map(({ length }) => length)));
  return [createSpan(`${time}  `, 'faint'), createSpan(`${padText(cutText(id, width), width)}  `)];
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
