import type { Severity } from '../../domain/problem.ts';

/** The texts for one code; `value` is the offending value, ready for display. */
export interface ProblemWording<F> {
  readonly severity: Severity;
  readonly message: (facts: F, value: string) => string;
  readonly remedy: (facts: F) => string;
}
