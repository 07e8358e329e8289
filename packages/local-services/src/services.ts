/** The parts of one running server that the handlers of both services share. */
import type { Admission } from './admission.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { JobStore } from './jobs.ts';
import type { Settings } from './options.ts';

/** The path of the molecule service: `{mol_base_url}` is the server's address and this path. */
export const MOLECULES = '/acpype';

/** The prediction service, by variant (contract, head and 9.1). */
export const PREDICTIONS = {
  current: '/online_predictors/api',
  earlier: '/online-predictors/api',
} as const;

export interface Services {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly jobs: JobStore;
  readonly admission: Admission;
  readonly faults: Faults;
}
