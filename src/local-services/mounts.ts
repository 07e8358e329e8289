/** Where the two services are mounted on the one server. */

/** Of the molecule service: `{mol_base_url}` is the server's address and this. */
export const MOLECULES = '/acpype';

/** Of the prediction service, by variant (contract, head and 9.1). */
export const PREDICTIONS = {
  current: '/online_predictors/api',
  earlier: '/online-predictors/api',
} as const;
