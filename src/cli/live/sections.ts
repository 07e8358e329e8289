/** The parts of the live view, each as lines of a given width. Pure. */
import { describeFirst, type RecentEnd } from '../../domain/campaign.ts';
import { formatClock, formatDuration } from '../../domain/units.ts';
import { type Kind, countEnded, type FinalState } from '../../domain/item.ts';
import { listKindNames, findKind } from '../../kinds/registry.ts';
import { estimateEnd, type CampaignObservation, type Observed } from '../../runner/command-line.ts';
import { buildCampaignLink, buildUiLink } from '../links.ts';
import {
  cutPath,
  cutText,
  type Line,
  padText,
  createSpan,
  type Span,
  type Tone,
  TONE_OF_STATE,
  countWidth,
} from '../text/line.ts';
import { drawBar, countItems, countText } from '../text/progress-text.ts';
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

const NARROW = 60;

/** `night  ████████░░░░  62 %  6,200 of 10,000` */
export function formatHead({ followed, seen }: Scene, width: number): Line {
  const { total, state } = seen.progress;
  const { done } = countItems(seen);
  const share = done / Math.max(1, total);
  const name = createSpan(cutText(followed.name, Math.floor(width / 3)), 'strong');
  const words = ` ${Math.floor(share * 100)} %  ${countText(done)} of ${countText(total)}`;
  const tone = state === 'paused' ? 'warning' : 'strong';
  const standing = state === 'running' ? [] : [createSpan(`  ${state}`, tone)];
  const rest = countWidth([name, createSpan(words), ...standing]);
  const room = Math.min(40, width - rest - 2);
  const progress = room < 4 ? [createSpan(' ')] : [createSpan(`  ${drawBar(share, room)}`)];
  return [name, ...progress, createSpan(words), ...standing];
}

/** `6,200 succeeded  3 failed  100 running  3,697 waiting` */
export function formatCounts({ seen }: Scene, width: number): Line[] {
  const { running, waiting } = countItems(seen);
  const counts: [string, number, Tone][] = [
    ...Object.entries(seen.progress.ended).map(
      ([state, n]) => [state, n, TONE_OF_STATE[state as FinalState]] as [string, number, Tone],
    ),
    ['running', running, 'plain'],
    ['waiting', waiting, 'plain'],
  ];
  const lines: Line[] = [[]];
  for (const [state, n, tone] of counts.filter(([, count]) => count > 0)) {
    const line = lines.at(-1) ?? [];
    const longer = [
      ...line,
      createSpan(line.length === 0 ? '' : '  '),
      createSpan(`${countText(n)} ${state}`, tone),
    ];
    if (countWidth(longer) <= width || line.length === 0) lines[lines.length - 1] = longer;
    else lines.push(longer.slice(-1));
  }
  return lines;
}

/** `end expected about 02:14:33 (in 7 h 12 min)` */
export function endLine({ seen, now, pace }: Scene, width: number): Line | null {
  const end = estimateEnd(seen, pace);
  if (end === null || end <= now) return null;
  const words = width < NARROW ? 'end about' : 'end expected about';
  const line = [createSpan(`${words} `), createSpan(formatClock(end, now), 'strong')];
  const left = [...line, createSpan(` (in ${formatDuration(end - now)})`)];
  return countWidth(left) <= width ? left : line;
}

export function formatObstacle({ seen: { obstacle, hindered } }: Scene): Line | null {
  const words = obstacle ?? hindered;
  return words === null ? null : [createSpan(words, 'bad')];
}

/** `sending 5 of kind sequence first, until one succeeds` */
export function formatFirst({ seen }: Scene): Line | null {
  const { first = [] } = seen.progress;
  return first.length === 0 ? null : [createSpan(first.map(describeFirst).join('; '), 'faint')];
}

/** `34 ended, 20 accepted in the last 5 min` */
export function formatPace({ pace }: Scene): Line | null {
  if (!pace) return null;
  const { ended, accepted, overMs } = pace;
  return [
    createSpan(
      `${countText(ended)} ended, ${countText(accepted)} accepted in the last ${formatDuration(overMs)}`,
      'faint',
    ),
  ];
}

/** Why items did not succeed, then the latest of them, newest first. */
export function formatFailures({ seen: { progress }, now }: Scene, width: number): Line[] {
  const codes = Object.entries(progress.failuresByCode).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return [];
  const sums = codes.map(([code, n]) => `${countText(n)} ${code}`).join(', ');
  const failures = (progress.failures ?? []).toReversed();
  const ids = computeIdWidth(
    failures.map(({ id }) => id),
    width,
  );
  return [
    [createSpan('not succeeded  ', 'strong'), createSpan(sums, 'bad')],
    ...failures.map((end) => formatFailure(end, ids, now, width)),
  ];
}

function formatFailure(end: RecentEnd, ids: number, now: number, width: number): Line {
  const { at, id, code, message, state } = end;
  return [
    ...formatTimeSpan(at, now, width),
    createSpan(`${padText(cutText(id, ids), ids)}  `),
    createSpan(`${code ?? state}  `, TONE_OF_STATE[state]),
    createSpan(message ?? ''),
  ];
}

/** The newest first. */
export function formatHappenings({ happenings, now }: Scene, width: number): Line[] {
  if (happenings.length === 0) return [];
  const newest = happenings.toReversed();
  const ids = computeIdWidth(
    newest.map(({ subject }) => subject),
    width,
  );
  const line = ({ at, subject, words, tone }: Happening): Line => [
    ...formatTimeSpan(at, now, width),
    createSpan(`${padText(cutText(subject, ids), ids)}  `),
    createSpan(words, tone),
  ];
  return [[createSpan('last events', 'strong')], ...newest.map(line)];
}

function formatTimeSpan(at: number, now: number, width: number): Span[] {
  // The date does not matter here.
  const time = formatClock(at, now).slice(-'22:14:03'.length);
  return [createSpan(width < NARROW ? `${time.slice(0, 5)} ` : `${time}  `, 'faint')];
}

function computeIdWidth(ids: readonly string[], width: number): number {
  return Math.min(width < NARROW ? 14 : 28, Math.max(...ids.map(({ length }) => length), 0));
}

/** The Temporal UI's page with all items; if its address is too long to be opened from here, the campaign's own. */
export function formatUiLine({ ui, followed }: Scene, width: number): Line | null {
  if (ui === null) return null;
  const title = 'Temporal UI  ';
  const links = [buildUiLink(ui, followed.name), buildCampaignLink(ui, followed.name), ui];
  const link = links.find((one) => title.length + one.length <= width);
  return link === undefined ? null : [createSpan(title, 'faint'), createSpan(link)];
}

export function formatResultsLine({ followed }: Scene, width: number): Line {
  const title = 'results      ';
  return [createSpan(title, 'faint'), createSpan(cutPath(followed.folder, width - title.length))];
}

export function formatKeys({ keys, seen: { progress } }: Scene, width: number): Line | null {
  if (!keys) return null;
  const { state } = progress;
  const shown = [
    ...(state === 'running' ? [['p', 'pause']] : []),
    ...(state === 'paused' ? [['r', 'resume']] : []),
    ...[
      ['q', width < NARROW ? 'detach' : 'detach (the campaign continues)'],
      ['Ctrl-C', keys.ctrlC()],
    ],
  ];
  return shown.flatMap(([key = '', does = '']) => [
    createSpan(key, 'strong'),
    createSpan(` ${does}   `, 'faint'),
  ]);
}

/**
 * `open`: started, waiting for a slot or at the service; `to come`: not started, or reuses the result of another row.
 */
interface Row {
  readonly kind: Kind;
  readonly cells: Readonly<Record<Column, number>>;
}

/** In the order of the table; in a narrow terminal the most important ones are kept. */
const COLUMNS = ['succeeded', 'failed', 'held', 'cancelled', 'open', 'to come', 'total'] as const;
type Column = (typeof COLUMNS)[number];
const FIRST_TO_GO: readonly Column[] = ['total', 'to come', 'cancelled', 'held'];
const ALWAYS: readonly Column[] = ['succeeded', 'open'];
const NEEDS_THE_TREE: readonly Column[] = ['to come', 'total'];
const TONE: Partial<Record<Column, Tone>> = { succeeded: 'good', failed: 'bad', held: 'warning' };

/** Empty if there is only one kind: the counts above already show it. */
export function formatKindTable({ progress, kinds }: CampaignObservation, width: number): Line[] {
  const rows = listKindNames().flatMap(
    (kind) => formatKindRow(kind, progress.kinds?.[kind], kinds) ?? [],
  );
  if (rows.length < 2) return [];
  const shown = COLUMNS.filter(
    (column) =>
      (kinds !== null || !NEEDS_THE_TREE.includes(column)) &&
      (ALWAYS.includes(column) || rows.some(({ cells }) => cells[column] > 0)),
  );
  for (const column of [null, ...FIRST_TO_GO]) {
    const index = column === null ? -1 : shown.indexOf(column);
    if (index >= 0) shown.splice(index, 1);
    const lines = formatTable(rows, shown);
    if (lines.every((line) => countWidth(line) <= width)) return lines;
  }
  return [];
}

function formatKindRow(
  kind: Kind,
  progress: { readonly open: number; readonly ended: Readonly<Record<string, number>> } | undefined,
  kinds: CampaignObservation['kinds'],
): Row | null {
  const { open = 0, ended = {} } = progress ?? {};
  const begun = open + countEnded(ended);
  const total = kinds?.items[kind] ?? begun;
  if (total === 0) return null;
  const { succeeded = 0, failed = 0, held = 0, cancelled = 0 } = ended;
  const cells = { succeeded, failed, held, cancelled, open, total };
  return { kind, cells: { ...cells, 'to come': Math.max(0, total - begun) } };
}

function formatTable(rows: readonly Row[], columns: readonly Column[]): Line[] {
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map(({ cells }) => countText(cells[column]).length)),
  );
  const cell = (words: string, n: number) => `  ${words.padStart(widths[n] ?? 0)}`;
  const name = Math.max(...rows.map(({ kind }) => findKind(kind).words.many.length));
  const header = columns.map((column, n) => createSpan(cell(column, n), 'faint'));
  return [
    [createSpan(padText('', name)), ...header],
    ...rows.map(({ kind, cells }) => [
      createSpan(padText(findKind(kind).words.many, name)),
      ...columns.map((column, n) =>
        createSpan(
          cell(countText(cells[column]), n),
          cells[column] > 0 ? (TONE[column] ?? 'plain') : 'faint',
        ),
      ),
    ]),
  ];
}
