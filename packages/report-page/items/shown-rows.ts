/** What the views of the table have in common. */
import type { Route } from '../route.ts';
import type { Column } from './columns.ts';
import type { Selection } from './selection.ts';

export interface ShownRows {
  readonly columns: readonly Column[];
  /** The matching rows, in order. */
  readonly rows: readonly number[];
  readonly route: Route;
  readonly selection: Selection;
}
