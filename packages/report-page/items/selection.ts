/** The rows that the user has selected, one by one or with a brush. Kept as long as the page is open. */
import { useMemo, useState } from 'preact/hooks';

export interface Selection {
  /** In order of selection. */
  readonly rows: readonly number[];
  readonly has: (row: number) => boolean;
  readonly toggle: (row: number) => void;
  /** Replaces the selection. */
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
