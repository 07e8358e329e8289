/** The words of the four kinds' options, and the options of each. */
import type {
  AtomType,
  ChargeMethod,
  ModelClass,
  Predictor,
} from '../../packages/local-services/src/contract.ts';

export {
  ATOM_TYPES,
  CHARGE_METHODS,
  DEFAULT_PREDICTORS,
  EARLIER_NAMES,
  MODEL_CLASSES,
  PREDICTORS,
} from '../../packages/local-services/src/contract.ts';
export type { AtomType, ChargeMethod, ModelClass, Predictor };

export type MoleculeOptions = {
  readonly kind: string;
  readonly chargeMethod: ChargeMethod;
  /** In units of the elementary charge; null lets the engine compute it. */
  readonly netCharge: number | null;
  readonly atomType: AtomType;
};

export type SequenceOptions = {
  readonly kind: string;
  /** In the user's order, without repeats, at least one. */
  readonly predictors: readonly Predictor[];
};

export type ShiftsOptions = {
  readonly kind: string;
  readonly modelClass: ModelClass;
  readonly originalNumbering: boolean;
};
