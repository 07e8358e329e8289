/** Every tree belongs to this Temporal: for tests of activities that do not cover leases. */
import type { Dependencies } from '../../src/activities/dependencies.ts';

export const OURS: Dependencies['leases'] = { check: () => Promise.resolve() };
