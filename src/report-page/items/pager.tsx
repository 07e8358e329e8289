/** Paging through the table. */
import { countText } from '../words.ts';

export const PAGE_SIZES = [50, 200, 1000] as const;

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly size: number;
  readonly total: number;
  readonly setPage: (page: number) => void;
  readonly setSize: (size: number) => void;
}

export function Pager({ page, pages, size, total, setPage, setSize }: PagerProps) {
  if (total <= PAGE_SIZES[0]) return null;
  const first = page * size + 1;
  return (
    <nav class="pager" aria-label="Pages of the table">
      <button type="button" disabled={page === 0} onClick={() => setPage(0)}>
        First
      </button>
      <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
        Previous
      </button>
      <span>
        {countText(first)}–{countText(Math.min(total, first + size - 1))} of {countText(total)}
      </span>
      <button type="button" disabled={page >= pages - 1} onClick={() => setPage(page + 1)}>
        Next
      </button>
      <button type="button" disabled={page >= pages - 1} onClick={() => setPage(pages - 1)}>
        Last
      </button>
      <label>
        Rows
        <select value={size} onChange={({ currentTarget }) => setSize(Number(currentTarget.value))}>
          {PAGE_SIZES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </nav>
  );
}
