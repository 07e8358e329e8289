/**
 * The words of the two contracts, for the services and their clients alike. Nothing else is shared: with one reader or
 * one check on both sides, both could have the same error.
 */

/** The two services, by what they compute. */
export const SERVICES = ['molecules', 'predictions'] as const;
/** The paths of their addresses at a server that is both. */
export const PATHS = { molecules: '/acpype', predictions: '' } as const;
/** One of the two services. */
export type ServiceName = (typeof SERVICES)[number];

/** Charge models that every molecule service accepts (contract of the molecule service, 2.1). */
export const CHARGE_METHODS = ['bcc', 'gas'] as const;

export const ATOM_TYPES = ['gaff2', 'gaff', 'amber'] as const;

/** Predictor names of the prediction service (contract 4.1). */
export const PREDICTORS = ['dynamine', 'disomine', 'efoldmine', 'agmata', 'psper'] as const;
export type Predictor = (typeof PREDICTORS)[number];

/** What the earlier interface calls those that it calls otherwise (contract of the prediction service, section 9.2). */
export const EARLIER_NAMES: Readonly<Partial<Record<Predictor, string>>> = {
  efoldmine: 'earlyfolding',
  psper: 'psp',
};

export const DEFAULT_PREDICTORS: readonly Predictor[] = [
  'dynamine',
  'disomine',
  'efoldmine',
  'agmata',
];

export const MODEL_CLASSES = ['1', '2', '3'] as const;
export type ModelClass = (typeof MODEL_CLASSES)[number];
