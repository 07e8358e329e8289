/** The rows that the reader has picked, by hand or with a brush. They last as long as the page is open. */
import { useMemo, useState } from 'preact/hooks';

export interface Selection {
  /** In the order in which they were picked. */
  readonly rows: readonly number[];
  readonly has: (row: number) => boolean;
  readonly toggle: (row: number) => void;
  /** Instead of those that were picked so far. */
  readonly replace: (rows: readonly number[]) => void;
}

export function useSelection(): Selection {
  const [rows, setRows] = useState<readonly number[]>([]);
  return useMemo(() => {
    const picked = new Set(rows);
    return {
      rows,
      has: (row) => picked.has(row),
      toggle: (row) =>
        setRows((now) => (now.includes(row) ? now.filter((one) => one !== row) : [...now, row])),
      replace: setRows,
    };
  }, [rows]);
}
