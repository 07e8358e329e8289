/** Another Temporal, as it stands in the lease of a tree that it works on. */
import type { LeaseHolder } from '../src/store/lease.ts';

export const OTHER_TEMPORAL: LeaseHolder = {
  temporal: 'other',
  where: 'the Temporal server of other/.hundredfold',
  host: 'far',
  boot: 'b',
  pid: 1,
  ledger: 'other',
  server: 1,
  renewer: 'other',
};
