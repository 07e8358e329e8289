/**
 * Selects which parts of the live view fit on a screen of a given size: by importance, as long as there is space; blank
 * lines and older events only in space that is left. Pure: (scene, size) → lines.
 */
import { budgetLines } from './budget-lines.ts';
import {
  kindTable,
  type Scene,
  countsLines,
  endLine,
  firstLine,
  failureLines,
  happeningLines,
  headLine,
  keysLine,
  obstacleLine,
  paceLine,
  resultsLine,
  uiLine,
} from './sections.ts';
import { beside, cut, span, widthOf, type Line } from '../text/line.ts';

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Lines that are shown or hidden together. */
interface Part {
  /** Parts of one group follow each other without a blank line. */
  readonly group: number;
  /** 0 is the most important. */
  readonly rank: number;
  readonly lines: readonly Line[];
}

/** From this width on, failures and events are shown side by side. */
const SIDE_BY_SIDE_FROM = 120;
/** Number of events that take precedence over blank lines; older ones fill the remaining space. */
const NEWS_FIRST = 3;
const LEAST_RANK = 100;

/** Never more lines than rows, nor wider than the columns. */
export function screen(scene: Scene, { columns, rows }: Size): Line[] {
  const parts = partsOf(scene, columns);
  const chosen = choose(parts, rows);
  const lines = chosen.reduce((sum, part) => sum + part.lines.length, 0);
  return withGaps(chosen, rows - lines).map((line) => cut(line, columns));
}

/** In display order. */
function partsOf(scene: Scene, width: number): Part[] {
  const budgets = scene.seen.budgets.map((one) => budgetLines(one, scene.now, width));
  const counts = countsLines(scene, width);
  const pace = paceLine(scene);
  const end = endLine(scene, width);
  const together = end && pace ? [...end, span('   '), ...pace] : null;
  const oneLine = together !== null && widthOf(together) <= width;
  return [
    part(0, 0, [headLine(scene, width)]),
    part(0, 1, counts.slice(0, 1)),
    part(0, 6, counts.slice(1)),
    part(0, 3, asLines(obstacleLine(scene))),
    part(0, 9, asLines(firstLine(scene))),
    part(0, 5, oneLine ? [together] : end && [end]),
    part(0, 10, oneLine ? null : pace && [pace]),
    ...budgets.flatMap(({ first, second }) => [
      part(1, 4, [first]),
      part(1, 7, second && [second]),
    ]),
    part(2, 8, kindTable(scene.seen, width)),
    ...newsParts(scene, width),
    part(5, 11, asLines(uiLine(scene, width))),
    part(5, 12, [resultsLine(scene, width)]),
    part(6, 2, scene.notice === null ? null : [[span(scene.notice, 'warning')]]),
    part(6, 3, asLines(keysLine(scene, width))),
  ];
}

function newsParts(scene: Scene, width: number): Part[] {
  if (width < SIDE_BY_SIDE_FROM) {
    return [
      ...listParts(3, 6, failureLines(scene, width)),
      ...listParts(4, 9, happeningLines(scene, width)),
    ];
  }
  const left = Math.floor(width / 2);
  const failures = failureLines(scene, left);
  const happenings = happeningLines(scene, width - left);
  if (failures.length === 0) return listParts(4, 9, happenings);
  return listParts(3, 6, beside(failures, happenings, left));
}

/** The title with the newest line as one part, each older line as another. */
function listParts(group: number, rank: number, lines: readonly Line[]): Part[] {
  const older = lines.slice(NEWS_FIRST);
  return [
    part(group, rank, lines.slice(0, NEWS_FIRST)),
    ...older.map((line, n) => part(group, LEAST_RANK + n, [line])),
  ];
}

/** What stays on the terminal when the view closes; the closing message has the rest. */
export function closingLines(scene: Scene, columns: number): Line[] {
  const budgets = scene.seen.budgets.map((one) => budgetLines(one, scene.now, columns));
  const lines = [
    headLine(scene, columns),
    ...countsLines(scene, columns),
    ...budgets.map(({ first }) => first),
    ...failureLines(scene, columns).slice(0, 1),
  ];
  return lines.map((line) => cut(line, columns));
}

function part(group: number, rank: number, lines: readonly Line[] | null): Part {
  return { group, rank, lines: lines ?? [] };
}

function asLines(line: Line | null): Line[] | null {
  return line && [line];
}

function choose(parts: readonly Part[], rows: number): Part[] {
  const chosen = new Set<Part>();
  let room = rows;
  // Blank lines take precedence over old events.
  const groups = new Set(parts.filter(({ lines }) => lines.length > 0).map(({ group }) => group));
  for (const one of parts.toSorted((a, b) => a.rank - b.rank)) {
    const kept = one.rank >= LEAST_RANK ? groups.size - 1 : 0;
    if (one.lines.length === 0 || one.lines.length > room - kept) continue;
    chosen.add(one);
    room -= one.lines.length;
  }
  return parts.filter((one) => chosen.has(one));
}

function withGaps(parts: readonly Part[], gaps: number): Line[] {
  let left = gaps;
  return parts.flatMap((one, n) => {
    const begins = n > 0 && parts[n - 1]?.group !== one.group && left > 0;
    if (begins) left -= 1;
    return begins ? [[], ...one.lines] : one.lines;
  });
}
