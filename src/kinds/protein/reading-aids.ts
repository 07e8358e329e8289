/**
 * Reading aids: how a predicted value is commonly interpreted, according to the tools' own pages. They help to find a
 * place in a table or a plot; they are not results.
 */

/** DynaMine's backbone S²: above, likely part of a membrane-spanning helix. */
export const MEMBRANE_ABOVE = 1;
/** From here on: rigid. */
export const RIGID_FROM = 0.8;

/** DynaMine's backbone S², from the highest. A value belongs to the first class whose bound it reaches. */
export const BACKBONE_CLASSES = [
  { label: 'membrane-spanning', above: MEMBRANE_ABOVE },
  { label: 'rigid', from: RIGID_FROM },
  { label: 'context-dependent', from: 0.69 },
  { label: 'flexible', from: -Infinity },
] as const;

type BackboneClass = (typeof BACKBONE_CLASSES)[number]['label'];

/** Above: likely to fold early (EFoldMine). */
export const EARLY_FOLDING_ABOVE = 0.169;
/** Above: likely disordered (DisoMine). */
export const DISORDER_ABOVE = 0.5;
/**
 * From here on a residue belongs to an aggregation-prone region. AgMata's authors give no threshold: this one is ours.
 */
export const AGGREGATION_FROM = 1;
/** Minimum number of residues of such a region. */
export const AGGREGATION_RESIDUES = 5;
/** From here on, the whole protein is likely to phase-separate (PSPer's `protein_score`). */
export const PHASE_SEPARATION_FROM = 0.5611;

/** ShiftCrypt's value for a residue with too many missing shifts: a valid result, but not an index. */
export const SHIFTS_MISSING = -10;

export function backboneClass(value: number): BackboneClass {
  const found = BACKBONE_CLASSES.find((one) =>
    'above' in one ? value > one.above : value >= one.from,
  );
  return found?.label ?? 'flexible';
}

/** The known keys of the predictors, in the order of tables and plots; others follow in payload order. */
export const TRACK_KEYS = [
  ...(['backbone', 'sidechain', 'helix', 'sheet', 'coil', 'ppII'] as const),
  ...(['earlyFolding', 'disoMine', 'agmata'] as const),
  ...(['viterbi', 'complexity', 'arg', 'tyr', 'RRM', 'disorder'] as const),
] as const;

/** The values that the service predicts for alignments, as far as known. */
export const ALIGNMENT_KEYS = TRACK_KEYS.slice(0, TRACK_KEYS.indexOf('viterbi'));

/** Keys of a payload in the order of `TRACK_KEYS`. */
export function inOrder(keys: readonly string[]): readonly string[] {
  const known: readonly string[] = TRACK_KEYS;
  return [
    ...known.filter((key) => keys.includes(key)),
    ...keys.filter((key) => !known.includes(key)),
  ];
}
