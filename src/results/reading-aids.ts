/**
 * Reading aids: what a predicted value is commonly taken to mean, as the tools' own pages give it. They help to find a
 * place in a table or a plot; they are no result.
 */

/** DynaMine's backbone S²: above, likely part of a membrane-spanning helix. */
export const MEMBRANE_ABOVE = 1;
/** From here on: rigid. */
export const RIGID_FROM = 0.8;

/** DynaMine's backbone S², from the top. A value belongs to the first whose bound it reaches. */
export const BACKBONE_CLASSES = [
  { label: 'membrane-spanning', above: MEMBRANE_ABOVE },
  { label: 'rigid', from: RIGID_FROM },
  { label: 'context-dependent', from: 0.69 },
  { label: 'flexible', from: -Infinity },
] as const;

export type BackboneClass = (typeof BACKBONE_CLASSES)[number]['label'];

/** Above: likely to fold early (EFoldMine). */
export const EARLY_FOLDING_ABOVE = 0.169;
/** Above: likely disordered (DisoMine). */
export const DISORDER_ABOVE = 0.5;
/** From here on a residue counts to an aggregation-prone stretch. AgMata's authors give no threshold: this one is ours. */
export const AGGREGATION_FROM = 1;
/** Residues that such a stretch has at least. */
export const AGGREGATION_RESIDUES = 5;
/** From here on: a whole protein that is likely to separate into phases (PSPer's `protein_score`). */
export const PHASE_SEPARATION_FROM = 0.5611;

/** ShiftCrypt's way to say that too many shifts of a residue are missing: a true result, and no index. */
export const SHIFTS_MISSING = -10;

export function backboneClass(value: number): BackboneClass {
  const found = BACKBONE_CLASSES.find((one) =>
    'above' in one ? value > one.above : value >= one.from,
  );
  return found?.label ?? 'flexible';
}
