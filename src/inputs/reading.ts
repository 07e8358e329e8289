/**
 * What comes of looking into an input: the same for every kind.
 */
import type { InputText } from '../domain/item.ts';
import type { Finding } from './finding.ts';

export interface Reading {
  readonly findings: readonly Finding[];
  /** What is sent; null when the input is of no use for its kind. */
  readonly input: InputText | null;
  /** See `Item.canonical`; of no meaning when a finding is an error. */
  readonly canonical: string;
}
