/** Two to twelve items side by side: their formulas, measures and the user's own columns. */
import { formatHead, findVerdict, formatValue, type Column } from './columns.ts';
import { Thumbnail } from './drawing.tsx';
import { findRow, formatHash, formatItemHash } from './route.ts';
import { type ShownRows, VerdictMark } from './rows.tsx';

export function ComparePage({ data, columns, route }: ShownRows) {
  const { table } = data;
  const ids = new Set(route.compare.split(' ').filter(Boolean).map(decodeURIComponent));
  // Ids in the address that the report does not have are left out.
  const rows = [...ids].flatMap((id) => findRow(table, id, null) ?? []);
  const filled = columns.filter(
    ({ group, valueAt }) =>
      group !== 'item' && group !== 'job' && rows.some((row) => valueAt(row) !== null),
  );
  return (
    <article class="compare">
      <nav aria-label="Items" class="line way">
        <a href={formatHash({ ...route, compare: '' })}>All items</a>
      </nav>
      <h1>Comparison</h1>
      {rows.length < 2 && (
        <p class="notice">
          {rows.length === 0 ? 'None' : 'Only one'} of these items is in this report: a comparison
          needs two.
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Values">
        <table>
          <thead>
            <tr>
              <td />
              {rows.map((row) => (
                <th key={row} scope="col" class="number">
                  {table.structures > 0 && <Thumbnail data={data} row={row} />}
                  <a href={formatItemHash(table, row, route)}>{table.id[row]}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.map((column) => (
              <ValuesOf key={column.key} column={column} rows={rows} />
            ))}
          </tbody>
        </table>
      </div>
    </article>
  );
}

function ValuesOf({ column, rows }: { readonly column: Column; readonly rows: readonly number[] }) {
  return (
    <tr>
      <th scope="row" title={column.meaning}>
        {formatHead(column)}
      </th>
      {rows.map((row) => {
        const value = column.valueAt(row);
        return (
          <td key={row} class="number">
            <VerdictMark verdict={findVerdict(column.verdicts, value)} isShort />{' '}
            {value === null ? '–' : formatValue(column, value)}
          </td>
        );
      })}
    </tr>
  );
}
