import type { Severity } from '../../domain/problem.ts';

/** How one code is put into words; `value` is the offending value, ready to be shown. */
export interface Wording<F> {
  readonly severity: Severity;
  readonly message: (facts: F, value: string) => string;
  readonly remedy: (facts: F) => string;
}
