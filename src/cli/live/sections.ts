/** The parts of the live view, each as lines of a given width. Pure. */
import { firstText, type RecentEnd } from '../../domain/campaign.ts';
import { clockText } from '../../domain/clock-text.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { Kind } from '../../domain/item.ts';
import { countEnded, type FinalState } from '../../domain/states.ts';
import { kindNames, kindOf } from '../../kinds/registry.ts';
import { expectedEnd, type CampaignObservation, type Observed } from '../../runner/command-line.ts';
import { campaignLink, uiLink } from '../links.ts';
import {
  cutPath,
  cutText,
  type Line,
  padded,
  span,
  type Span,
  type Tone,
  TONE_OF_STATE,
  widthOf,
} from '../text/line.ts';
import { bar, countItems, countText } from '../text/progress-text.ts';
import type { CampaignPace, Happening } from './happenings.ts';

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
export function headLine({ followed, seen }: Scene, width: number): Line {
  const { total, state } = seen.progress;
  const { done } = countItems(seen);
  const share = done / Math.max(1, total);
  const name = span(cutText(followed.name, Math.floor(width / 3)), 'strong');
  const words = ` ${Math.floor(share * 100)} %  ${countText(done)} of ${countText(total)}`;
  const tone = state === 'paused' ? 'warning' : 'strong';
  const standing = state === 'running' ? [] : [span(`  ${state}`, tone)];
  const rest = widthOf([name, span(words), ...standing]);
  const room = Math.min(40, width - rest - 2);
  const progress = room < 4 ? [span(' ')] : [span(`  ${bar(share, room)}`)];
  return [name, ...progress, span(words), ...standing];
}

/** `6,200 succeeded  3 failed  100 running  3,697 waiting` */
export function countsLines({ seen }: Scene, width: number): Line[] {
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
      span(line.length === 0 ? '' : '  '),
      span(`${countText(n)} ${state}`, tone),
    ];
    if (widthOf(longer) <= width || line.length === 0) lines[lines.length - 1] = longer;
    else lines.push(longer.slice(-1));
  }
  return lines;
}

/** `end expected about 02:14:33 (in 7 h 12 min)` */
export function endLine({ seen, now, pace }: Scene, width: number): Line | null {
  const end = expectedEnd(seen, pace);
  if (end === null || end <= now) return null;
  const words = width < NARROW ? 'end about' : 'end expected about';
  const line = [span(`${words} `), span(clockText(end, now), 'strong')];
  const left = [...line, span(` (in ${formatDuration(end - now)})`)];
  return widthOf(left) <= width ? left : line;
}

export function obstacleLine({ seen: { obstacle, hindered } }: Scene): Line | null {
  const words = obstacle ?? hindered;
  return words === null ? null : [span(words, 'bad')];
}

/** `sending 5 of kind sequence first, until one succeeds` */
export function firstLine({ seen }: Scene): Line | null {
  const { first = [] } = seen.progress;
  return first.length === 0 ? null : [span(first.map(firstText).join('; '), 'faint')];
}

/** `34 ended, 20 accepted in the last 5 min` */
export function paceLine({ pace }: Scene): Line | null {
  if (!pace) return null;
  const { ended, accepted, overMs } = pace;
  return [
    span(
      `${countText(ended)} ended, ${countText(accepted)} accepted in the last ${formatDuration(overMs)}`,
      'faint',
    ),
  ];
}

/** Why items did not succeed, then the latest of them, newest first. */
export function failureLines({ seen: { progress }, now }: Scene, width: number): Line[] {
  const codes = Object.entries(progress.failuresByCode).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return [];
  const sums = codes.map(([code, n]) => `${countText(n)} ${code}`).join(', ');
  const failures = (progress.failures ?? []).toReversed();
  const ids = idWidth(
    failures.map(({ id }) => id),
    width,
  );
  return [
    [span('not succeeded  ', 'strong'), span(sums, 'bad')],
    ...failures.map((end) => failureLine(end, ids, now, width)),
  ];
}

function failureLine(end: RecentEnd, ids: number, now: number, width: number): Line {
  const { at, id, code, message, state } = end;
  return [
    ...timeSpan(at, now, width),
    span(`${padded(cutText(id, ids), ids)}  `),
    span(`${code ?? state}  `, TONE_OF_STATE[state]),
    span(message ?? ''),
  ];
}

/** The newest first. */
export function happeningLines({ happenings, now }: Scene, width: number): Line[] {
  if (happenings.length === 0) return [];
  const newest = happenings.toReversed();
  const ids = idWidth(
    newest.map(({ subject }) => subject),
    width,
  );
  const line = ({ at, subject, words, tone }: Happening): Line => [
    ...timeSpan(at, now, width),
    span(`${padded(cutText(subject, ids), ids)}  `),
    span(words, tone),
  ];
  return [[span('last events', 'strong')], ...newest.map(line)];
}

function timeSpan(at: number, now: number, width: number): Span[] {
  // The date does not matter here.
  const time = clockText(at, now).slice(-'22:14:03'.length);
  return [span(width < NARROW ? `${time.slice(0, 5)} ` : `${time}  `, 'faint')];
}

function idWidth(ids: readonly string[], width: number): number {
  return Math.min(width < NARROW ? 14 : 28, Math.max(...ids.map(({ length }) => length), 0));
}

/** The Temporal UI's page with all items; if its address is too long to be opened from here, the campaign's own. */
export function uiLine({ ui, followed }: Scene, width: number): Line | null {
  if (ui === null) return null;
  const title = 'Temporal UI  ';
  const links = [uiLink(ui, followed.name), campaignLink(ui, followed.name), ui];
  const link = links.find((one) => title.length + one.length <= width);
  return link === undefined ? null : [span(title, 'faint'), span(link)];
}

export function resultsLine({ followed }: Scene, width: number): Line {
  const title = 'results      ';
  return [span(title, 'faint'), span(cutPath(followed.folder, width - title.length))];
}

export function keysLine({ keys, seen: { progress } }: Scene, width: number): Line | null {
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
    span(key, 'strong'),
    span(` ${does}   `, 'faint'),
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
export function kindTable({ progress, kinds }: CampaignObservation, width: number): Line[] {
  const rows = kindNames().flatMap((kind) => rowOf(kind, progress.kinds?.[kind], kinds) ?? []);
  if (rows.length < 2) return [];
  const shown = COLUMNS.filter(
    (column) =>
      (kinds !== null || !NEEDS_THE_TREE.includes(column)) &&
      (ALWAYS.includes(column) || rows.some(({ cells }) => cells[column] > 0)),
  );
  for (const column of [null, ...FIRST_TO_GO]) {
    const index = column === null ? -1 : shown.indexOf(column);
    if (index >= 0) shown.splice(index, 1);
    const lines = tableOf(rows, shown);
    if (lines.every((line) => widthOf(line) <= width)) return lines;
  }
  return [];
}

function rowOf(
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

function tableOf(rows: readonly Row[], columns: readonly Column[]): Line[] {
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map(({ cells }) => countText(cells[column]).length)),
  );
  const cell = (words: string, n: number) => `  ${words.padStart(widths[n] ?? 0)}`;
  const name = Math.max(...rows.map(({ kind }) => kindOf(kind).words.many.length));
  const header = columns.map((column, n) => span(cell(column, n), 'faint'));
  return [
    [span(padded('', name)), ...header],
    ...rows.map(({ kind, cells }) => [
      span(padded(kindOf(kind).words.many, name)),
      ...columns.map((column, n) =>
        span(
          cell(countText(cells[column]), n),
          cells[column] > 0 ? (TONE[column] ?? 'plain') : 'faint',
        ),
      ),
    ]),
  ];
}
