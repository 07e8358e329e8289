/**
 * Selects which parts of the live view fit on a screen of a given size: by importance, as long as there is space; blank
 * lines and older events only in space that is left. Pure: (scene, size) → lines.
 */
import { formatBudget } from './budget-lines.ts';
import {
  formatKindTable,
  type Scene,
  formatCounts,
  endLine,
  formatFirst,
  formatFailures,
  formatHappenings,
  formatHead,
  formatKeys,
  formatObstacle,
  formatPace,
  formatResultsLine,
  formatUiLine,
} from './sections.ts';
import { joinColumns, cutLine, createSpan, countWidth, type Line } from '../text/line.ts';

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
const MIN_RANK = 100;

/** Never more lines than rows, nor wider than the columns. */
export function renderScreen(scene: Scene, { columns, rows }: Size): Line[] {
  const parts = buildParts(scene, columns);
  const chosen = choose(parts, rows);
  const lines = chosen.reduce((sum, part) => sum + part.lines.length, 0);
  return withGaps(chosen, rows - lines).map((line) => cutLine(line, columns));
}

/** In display order. */
function buildParts(scene: Scene, width: number): Part[] {
  const budgets = scene.seen.budgets.map((one) => formatBudget(one, scene.now, width));
  const counts = formatCounts(scene, width);
  const pace = formatPace(scene);
  const end = endLine(scene, width);
  const together = end && pace ? [...end, createSpan('   '), ...pace] : null;
  const oneLine = together !== null && countWidth(together) <= width;
  return [
    createPart(0, 0, [formatHead(scene, width)]),
    createPart(0, 1, counts.slice(0, 1)),
    createPart(0, 6, counts.slice(1)),
    createPart(0, 3, toLines(formatObstacle(scene))),
    createPart(0, 9, toLines(formatFirst(scene))),
    createPart(0, 5, oneLine ? [together] : end && [end]),
    createPart(0, 10, oneLine ? null : pace && [pace]),
    ...budgets.flatMap(({ first, second }) => [
      createPart(1, 4, [first]),
      createPart(1, 7, second && [second]),
    ]),
    createPart(2, 8, formatKindTable(scene.seen, width)),
    ...listNewsParts(scene, width),
    createPart(5, 11, toLines(formatUiLine(scene, width))),
    createPart(5, 12, [formatResultsLine(scene, width)]),
    createPart(6, 2, scene.notice === null ? null : [[createSpan(scene.notice, 'warning')]]),
    createPart(6, 3, toLines(formatKeys(scene, width))),
  ];
}

function listNewsParts(scene: Scene, width: number): Part[] {
  if (width < SIDE_BY_SIDE_FROM) {
    return [
      ...listParts(3, 6, formatFailures(scene, width)),
      ...listParts(4, 9, formatHappenings(scene, width)),
    ];
  }
  const left = Math.floor(width / 2);
  const failures = formatFailures(scene, left);
  const happenings = formatHappenings(scene, width - left);
  if (failures.length === 0) return listParts(4, 9, happenings);
  return listParts(3, 6, joinColumns(failures, happenings, left));
}

/** The title with the newest line as one part, each older line as another. */
function listParts(group: number, rank: number, lines: readonly Line[]): Part[] {
  const older = lines.slice(NEWS_FIRST);
  return [
    createPart(group, rank, lines.slice(0, NEWS_FIRST)),
    ...older.map((line, n) => createPart(group, MIN_RANK + n, [line])),
  ];
}

/** What stays on the terminal when the view closes; the closing message has the rest. */
export function renderClosingLines(scene: Scene, columns: number): Line[] {
  const budgets = scene.seen.budgets.map((one) => formatBudget(one, scene.now, columns));
  const lines = [
    formatHead(scene, columns),
    ...formatCounts(scene, columns),
    ...budgets.map(({ first }) => first),
    ...formatFailures(scene, columns).slice(0, 1),
  ];
  return lines.map((line) => cutLine(line, columns));
}

function createPart(group: number, rank: number, lines: readonly Line[] | null): Part {
  return { group, rank, lines: lines ?? [] };
}

function toLines(line: Line | null): Line[] | null {
  return line && [line];
}

function choose(parts: readonly Part[], rows: number): Part[] {
  const chosen = new Set<Part>();
  let room = rows;
  // Blank lines take precedence over old events.
  const groups = new Set(parts.filter(({ lines }) => lines.length > 0).map(({ group }) => group));
  for (const one of parts.toSorted((a, b) => a.rank - b.rank)) {
    const kept = one.rank >= MIN_RANK ? groups.size - 1 : 0;
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
