/** An item in a comparison. */
import type { ItemDetail } from '../data.ts';

export interface Compared {
  readonly id: string;
  readonly row: number;
  readonly detail: ItemDetail;
}
