import type { Policy } from '../src/budget/policy.ts';

/** One window, or none where its limit is null. */
export function policyOf(limit: number | null, windowMs: number): Policy {
  const windows = limit === null ? [] : [{ limit, windowMs }];
  return { windows, maxOpen: null, counts: 'accepted' };
}
