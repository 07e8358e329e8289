/** The parts of one running server that the handlers of both services share. */
import type { Admission } from './admission.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { JobStore } from './jobs.ts';
import type { Settings } from './options.ts';

export interface Services {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly jobs: JobStore;
  readonly admission: Admission;
  readonly faults: Faults;
  /** The molecule service accepts `abcg2`, which the contract does not list, and its OpenAPI document says so. */
  readonly offersAbcg2: boolean;
}
