/** The paths of the two services on the one server. */

/** The molecule service: `{mol_base_url}` is the server's address and this path. */
export const MOLECULES = '/acpype';

/** The prediction service, by variant (contract, head and 9.1). */
export const PREDICTIONS = {
  current: '/online_predictors/api',
  earlier: '/online-predictors/api',
} as const;
