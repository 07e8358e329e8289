/** One molecule of the grid: its drawn formula, its name, and its most important values. */
import { useEffect, useState } from 'preact/hooks';
import type { ItemDetail, PageData } from '../../../src/report/page-data.ts';
import { itemDetail } from '../embedded.ts';
import { DrawingView } from '../item/drawing.tsx';
import { type Column, headOf } from '../items/columns.ts';
import { itemHash } from '../items/item-row.ts';
import { valueText } from '../items/rows.tsx';
import type { Selection } from '../items/selection.ts';
import type { Route } from '../route.ts';

interface StructureCardProps {
  readonly data: PageData;
  readonly columns: readonly Column[];
  readonly row: number;
  readonly similarity: number | null;
  readonly route: Route;
  readonly selection: Selection;
  readonly onLike: () => void;
}

export function StructureCard(props: StructureCardProps) {
  const { data, columns, row, similarity, route, selection, onLike } = props;
  const id = data.table.id[row] ?? '';
  const detail = useDetail(data, row);
  // The sort column, or the first of the measures.
  const wanted = route.sort.replace(/^-/, '');
  const column =
    columns.find(({ key, group }) => key === wanted && group !== 'item') ??
    columns.find(({ group, type }) => group === data.table.kind[row] && type === 'number');
  const value = column?.valueAt(row) ?? null;
  return (
    <li class={selection.has(row) ? 'selected' : ''}>
      <div class="structure">
        {detail === 'missing' ? (
          <p class="quiet">Details are not available.</p>
        ) : (
          detail?.formula?.drawing && (
            <DrawingView
              isCropped
              drawing={detail.formula.drawing}
              label={`Structural formula of ${id}`}
            />
          )
        )}
      </div>
      <p>
        <input
          type="checkbox"
          checked={selection.has(row)}
          aria-label={`Select ${id}`}
          onChange={() => selection.toggle(row)}
        />
        <a href={itemHash(data.table, row, route)}>{id}</a>
      </p>
      <p class="quiet">
        {column !== undefined && value !== null && `${headOf(column)} ${valueText(column, value)}`}
        {similarity !== null && ` · similarity ${similarity.toFixed(2)}`}
      </p>
      <button type="button" onClick={onLike} aria-label={`Find similar to ${id}`}>
        Find similar
      </button>
    </li>
  );
}

function useDetail(data: PageData, row: number): ItemDetail | 'missing' | null {
  const [detail, setDetail] = useState<ItemDetail | 'missing' | null>(null);
  useEffect(() => {
    let left = false;
    itemDetail(data.chunks, row).then(
      (found) => left || setDetail(found),
      () => left || setDetail('missing'),
    );
    return () => {
      left = true;
    };
  }, [data.chunks, row]);
  return detail;
}
