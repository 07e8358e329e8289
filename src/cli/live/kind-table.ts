/** Items by kind and state, as a table. Pure. */
import { countText } from '../text/progress-text.ts';
import { countEnded } from '../../domain/states.ts';
import type { Kind } from '../../domain/item.ts';
import { kindNames, kindOf } from '../../kinds/registry.ts';
import type { CampaignObservation } from '../../runner/observe.ts';
import { type Line, padded, span, type Tone, widthOf } from '../text/line.ts';

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
