/** Every tree is this Temporal's: for tests of activities that are not about that. */
import type { Dependencies } from '../../src/activities/dependencies.ts';

export const OURS: Dependencies['leases'] = { check: () => Promise.resolve() };
