/** The predictor names of the two variants of the prediction service (contract 4.1 and 9.2). */
import { PREDICTORS, type Predictor } from '../../domain/item.ts';
import type { Variant } from '../options.ts';

const NAMES: Readonly<Record<Variant, ReadonlyMap<string, Predictor>>> = {
  current: new Map(PREDICTORS.map((name) => [name, name])),
  earlier: new Map([
    ['dynamine', 'dynamine'],
    ['disomine', 'disomine'],
    ['earlyfolding', 'efoldmine'],
    ['agmata', 'agmata'],
    ['psp', 'psper'],
  ]),
};

/** Splits `predictor_type` into predictors, with their current names, and names that are unknown to the variant. */
export function readPredictors(
  predictorType: string,
  variant: Variant,
): { predictors: Predictor[]; unknown: string[] } {
  const names = new Set(predictorType.split(',').map((name) => name.trim()));
  names.delete('');
  const predictors: Predictor[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const predictor = NAMES[variant].get(name);
    if (predictor === undefined) unknown.push(name);
    else predictors.push(predictor);
  }
  return { predictors, unknown };
}
