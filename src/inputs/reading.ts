/** The result of checking an input: the same for every kind. */
import type { InputText } from '../domain/item.ts';
import type { InputFinding } from './finding.ts';

export interface Reading {
  readonly findings: readonly InputFinding[];
  /** The text to send; null if the input is invalid for its kind. */
  readonly input: InputText | null;
  /** See `Item.canonical`; meaningless if a finding is an error. */
  readonly canonical: string;
}
