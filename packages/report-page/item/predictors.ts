/**
 * The predictors' values along a chain: their display names, and how to interpret them. The interpretations are those
 * of the predictors' authors: DynaMine, EFoldMine, DisoMine, PSPer.
 *
 * The interpretation of ShiftCrypt's index (low in helices, high in strands) was checked on the recorded entry of
 * ubiquitin: its helix, residues 25 to 33, has 0.04 to 0.28; its first strand, 2 to 5, has 0.60 to 0.83.
 */

import {
  AGGREGATION_FROM,
  AGGREGATION_RESIDUES,
  BACKBONE_CLASSES,
  backboneClass,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
} from '../../../src/kinds/protein/reading.ts';

/** A range of values with a meaning. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly words: string;
  /** Strength of its tint: 0 none, 3 most. */
  readonly tone: 0 | 1 | 2 | 3;
}

interface Predictor {
  readonly title: string;
  readonly by: string;
  /** The minimum range of its plots, so that two of them can be compared. */
  readonly range: readonly [from: number, to: number];
  readonly bands: readonly Band[];
}

const TONES = [3, 2, 1, 0] as const;
const UNIT = [0, 1] as const;

/** For predictors where a value above the threshold has a meaning. */
function above(threshold: number, below: string, words: string): readonly Band[] {
  return [
    { from: -Infinity, to: threshold, words: below, tone: 0 },
    { from: threshold, to: Infinity, words, tone: 2 },
  ];
}

/** The classes are sorted from the highest; each ends where the previous one begins. */
const BACKBONE: readonly Band[] = BACKBONE_CLASSES.map((one, place) => ({
  from: startOf(one),
  to: place === 0 ? Infinity : startOf(BACKBONE_CLASSES[place - 1] ?? one),
  words: one.label,
  tone: TONES[place] ?? 0,
})).reverse();

function startOf(one: (typeof BACKBONE_CLASSES)[number]): number {
  return 'above' in one ? one.above : one.from;
}

const EARLY_FOLDING = above(EARLY_FOLDING_ABOVE, 'not early folding', 'early folding');
const AGGREGATION = above(
  AGGREGATION_FROM,
  'low',
  `aggregation-prone in stretches of ${AGGREGATION_RESIDUES} residues or more (our threshold):`,
);
const DISORDER = above(DISORDER_ABOVE, 'ordered', 'disordered');

function predictor(
  title: string,
  by: string,
  range: Predictor['range'] = UNIT,
  bands: readonly Band[] = [],
): Predictor {
  return { title, by, range, bands };
}

const PREDICTORS: Readonly<Record<string, Predictor>> = {
  backbone: predictor('Backbone dynamics', 'DynaMine', [0.4, 1.05], BACKBONE),
  sidechain: predictor('Side-chain dynamics', 'DynaMine'),
  helix: predictor('Helix', 'DynaMine'),
  sheet: predictor('Sheet', 'DynaMine'),
  coil: predictor('Coil', 'DynaMine'),
  ppII: predictor('Polyproline II propensity', 'DynaMine', [0, 0.5]),
  earlyFolding: predictor('Early folding', 'EFoldMine', [0, 0.5], EARLY_FOLDING),
  disoMine: predictor('Disorder (DisoMine)', 'DisoMine', UNIT, DISORDER),
  agmata: predictor('Beta aggregation', 'AgMata', [0, 5], AGGREGATION),
  viterbi: predictor('State', 'PSPer'),
  complexity: predictor('Complexity', 'PSPer'),
  arg: predictor('Arginine', 'PSPer'),
  tyr: predictor('Tyrosine', 'PSPer'),
  RRM: predictor('RNA recognition motif', 'PSPer'),
  disorder: predictor('Disorder around (PSPer)', 'PSPer'),
  shiftCrypt: predictor('ShiftCrypt index', 'ShiftCrypt'),
};

export function predictorOf(key: string): Predictor {
  return PREDICTORS[key] ?? predictor(key, '', [0, 0]);
}

/** `rigid`; null if there is no meaning. */
export function meaningOf(key: string, value: number): string | null {
  // A bound belongs to the class above it, except for the highest class, which begins above its bound: as in the
  // tables.
  if (key === 'backbone') return backboneClass(value);
  // Single residues have no meaning: only regions do.
  if (key === 'agmata') return null;
  return predictorOf(key).bands.find(({ from, to }) => value > from && value <= to)?.words ?? null;
}

export function scoreMeaning(key: string, value: number | string): string | null {
  if (key !== 'protein_score' || typeof value !== 'number') return null;
  return value >= PHASE_SEPARATION_FROM
    ? `at or above ${PHASE_SEPARATION_FROM}: may separate into phases`
    : `below ${PHASE_SEPARATION_FROM}`;
}

const AMINO_ACIDS: Readonly<Record<string, string>> = {
  A: 'Ala',
  R: 'Arg',
  N: 'Asn',
  D: 'Asp',
  C: 'Cys',
  Q: 'Gln',
  E: 'Glu',
  G: 'Gly',
  H: 'His',
  I: 'Ile',
  L: 'Leu',
  K: 'Lys',
  M: 'Met',
  F: 'Phe',
  P: 'Pro',
  S: 'Ser',
  T: 'Thr',
  W: 'Trp',
  Y: 'Tyr',
  V: 'Val',
};

/** `Lys` for `K`; the letter itself if it is none of the twenty. */
export function residueName(letter: string): string {
  return AMINO_ACIDS[letter] ?? letter;
}
