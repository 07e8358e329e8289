/** The rows of one page of the table, under a header that stays; on a phone, three lines for each item. */
import { useMemo, useState } from 'preact/hooks';
import type { PageData, Verdict } from '../../src/report/page-data.ts';
import { formatHead, isNumeric, findVerdict, formatValue, type Column } from './columns.ts';
import { Thumbnail } from './drawing.tsx';
import { toStateGroup } from './query.ts';
import { formatItemHash, type Route } from './route.ts';

/** The rows that the user has selected. Kept as long as the page is open. */
export interface Selection {
  /** In order of selection. */
  readonly rows: readonly number[];
  readonly has: (row: number) => boolean;
  readonly toggle: (row: number) => void;
  readonly replace: (rows: readonly number[]) => void;
}

export function useSelection(): Selection {
  const [rows, setRows] = useState<readonly number[]>([]);
  return useMemo(() => {
    const selected = new Set(rows);
    return {
      rows,
      has: (row) => selected.has(row),
      toggle: (row) =>
        setRows((now) => (now.includes(row) ? now.filter((one) => one !== row) : [...now, row])),
      replace: setRows,
    };
  }, [rows]);
}

/** What the views of the table have in common. */
export interface ShownRows {
  readonly data: PageData;
  readonly columns: readonly Column[];
  /** The matching rows, in order. */
  readonly rows: readonly number[];
  readonly route: Route;
  readonly selection: Selection;
}

export interface RowsProps extends ShownRows {
  readonly change: (changed: Partial<Route>) => void;
}

export function Rows(props: RowsProps) {
  const { columns, rows, route, change } = props;
  return (
    <>
      <table class="cards" role="table" aria-labelledby="items">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading key={column.key} column={column} route={route} change={change} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <Row key={row} {...props} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && (
        <p class="notice">No items match. Broaden the search, or clear the filters.</p>
      )}
    </>
  );
}

type HeadingProps = Pick<RowsProps, 'route' | 'change'> & { readonly column: Column };

/** First ascending, then descending, then manifest order again. */
function Heading({ column, route: { sort }, change }: HeadingProps) {
  const { key, meaning } = column;
  const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const next = { none: key, ascending: `-${key}`, descending: '' }[order];
  return (
    <th scope="col" role="columnheader" aria-sort={order} class={chooseCellClass(column)}>
      {column.type === 'picture' ? (
        formatHead(column)
      ) : (
        <button type="button" title={meaning} onClick={() => change({ sort: next })}>
          {formatHead(column)}
          <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}</span>
        </button>
      )}
    </th>
  );
}

function chooseCellClass(column: Column): string {
  return isNumeric(column) ? 'number' : `column-${column.key}`;
}

interface RowProps extends Omit<RowsProps, 'rows' | 'change'> {
  readonly row: number;
}

function Row({ data, columns, row, route, selection }: RowProps) {
  const isSelected = selection.has(row);
  return (
    <tr role="row" class={isSelected ? 'selected' : ''}>
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-title={formatHead(column)}
          class={`${chooseCellClass(column)}${route.sort.replace('-', '') === column.key ? ' sorted' : ''}`}
        >
          {column.key === 'id' && (
            <input
              type="checkbox"
              checked={isSelected}
              aria-label={`Select ${data.table.id[row] ?? ''}`}
              onChange={() => selection.toggle(row)}
            />
          )}
          <Value data={data} column={column} row={row} route={route} />
        </td>
      ))}
    </tr>
  );
}

type ValueProps = Pick<RowProps, 'data' | 'row' | 'route'> & { readonly column: Column };

function Value({ data, column, row, route }: ValueProps) {
  const { table } = data;
  const { key } = column;
  if (column.type === 'picture') {
    const isDrawn = table.kinds.find(({ name }) => name === table.kind[row])?.isDrawn === true;
    return isDrawn ? <Thumbnail key={row} data={data} row={row} /> : null;
  }
  const value = column.valueAt(row);
  if (value === null) return <span class="quiet">–</span>;
  if (key === 'id') return <a href={formatItemHash(table, row, route)}>{value}</a>;
  if (key === 'state') return <StateMark state={String(value)} />;
  if (key === 'result' && !table.result[row])
    return <code title={table.message[row] ?? ''}>{value}</code>;
  return (
    <>
      <VerdictMark verdict={findVerdict(column.verdicts, value)} isShort />{' '}
      {formatValue(column, value)}
    </>
  );
}

const STATE_SIGNS: Readonly<Record<string, string>> = {
  succeeded: '✓',
  failed: '✕',
  held: '?',
  cancelled: '–',
  invalid: '!',
  open: '…',
};

/** A state as a symbol with its name: never by colour alone. */
export function StateMark({ state }: { readonly state: string }) {
  const group = toStateGroup(state);
  return (
    <span class="state">
      <span class="sign" style={{ color: `var(--state-${group})` }} aria-hidden="true">
        {STATE_SIGNS[group]}
      </span>
      {state}
    </span>
  );
}

const VERDICTS = {
  good: ['✓', 'var(--state-succeeded)'],
  fair: ['!', 'var(--state-held)'],
  bad: ['✕', 'var(--state-failed)'],
} as const;

interface VerdictProps {
  readonly verdict: Verdict | null;
  /** Its words only as a title, and nothing for a good value. */
  readonly isShort?: boolean;
}

/** What a value says: `✕ do not trust`. */
export function VerdictMark({ verdict, isShort = false }: VerdictProps) {
  if (verdict === null || (isShort && verdict.sign === 'good')) return null;
  const { sign, words } = verdict;
  const [letter, color] = VERDICTS[sign];
  return (
    <span class="state" style={{ color }} title={words}>
      <span aria-hidden="true">{letter}</span> <span class={isShort ? 'hidden' : ''}>{words}</span>
    </span>
  );
}
