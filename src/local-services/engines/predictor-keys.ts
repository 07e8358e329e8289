/** The keys that each predictor adds to a protein of a result, with one value per residue. */
import { PREDICTORS, type Predictor } from '../../domain/item.ts';

const KEYS: Readonly<Record<Predictor, readonly string[]>> = {
  dynamine: ['backbone', 'sidechain', 'ppII', 'coil', 'sheet', 'helix'],
  efoldmine: ['earlyFolding'],
  disomine: ['disoMine'],
  agmata: ['agmata'],
  psper: ['complexity', 'arg', 'tyr', 'RRM', 'disorder'],
};

/** b2bTools always runs DynaMine. */
export function predictorKeys(predictors: readonly string[]): string[] {
  return PREDICTORS.filter((name) => name === 'dynamine' || predictors.includes(name)).flatMap(
    (name) => KEYS[name],
  );
}
