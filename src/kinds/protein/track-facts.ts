/**
 * What the values along a chain are called, and how they are commonly read. The readings are those of the predictors'
 * authors: DynaMine, EFoldMine, DisoMine, PSPer.
 *
 * The reading of ShiftCrypt's index (low in helices, high in strands) was checked on the recorded entry of ubiquitin: its
 * helix, residues 25 to 33, has 0.04 to 0.28; its first strand, 2 to 5, has 0.60 to 0.83.
 */
import {
  AGGREGATION_FROM,
  AGGREGATION_RESIDUES,
  BACKBONE_CLASSES,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
} from './reading.ts';

/** A range of values with a meaning, up to the next higher band. */
export interface TrackBand {
  /** Its lower bound; null for the lowest band. */
  readonly from: number | null;
  /** Whether the bound itself belongs to the band below it. */
  readonly isAbove: boolean;
  readonly words: string;
  /** Strength of its tint: 0 none, 3 most. */
  readonly tone: number;
}

export interface TrackFacts {
  readonly title: string;
  /** The program that predicts it. */
  readonly by: string;
  /** The minimum range of its plots, so that two of them can be compared. */
  readonly range: readonly [from: number, to: number];
  /** From the highest; empty if the values have no such reading. */
  readonly bands: readonly TrackBand[];
  /** Least number of residues in a row for which a band has its meaning: 1 if single values have it. */
  readonly stretch: number;
}

const UNIT = [0, 1] as const;

function describe(
  title: string,
  by: string,
  range: TrackFacts['range'] = UNIT,
  bands: TrackFacts['bands'] = [],
  stretch = 1,
): TrackFacts {
  return { title, by, range, bands, stretch };
}

/** For predictors where values above a threshold have a meaning. */
function divide(from: number, isAbove: boolean, words: string, below: string) {
  return [
    { from, isAbove, words, tone: 2 },
    { from: null, isAbove: false, words: below, tone: 0 },
  ];
}

const BACKBONE = BACKBONE_CLASSES.map((one, n): TrackBand => {
  const isAbove = 'above' in one;
  const from = isAbove ? one.above : one.from;
  return { from: from === -Infinity ? null : from, isAbove, words: one.label, tone: 3 - n };
});

const AGGREGATION = divide(AGGREGATION_FROM, false, 'aggregation-prone', 'low');

/** By the payload's key, values of residues and scores of whole proteins. */
export const TRACK_FACTS: Readonly<Record<string, TrackFacts>> = {
  conservation: describe('Conservation', ''),
  backbone: describe('Backbone dynamics', 'DynaMine', [0.4, 1.05], BACKBONE),
  sidechain: describe('Side-chain dynamics', 'DynaMine'),
  helix: describe('Helix', 'DynaMine'),
  sheet: describe('Sheet', 'DynaMine'),
  coil: describe('Coil', 'DynaMine'),
  ppII: describe('Polyproline II propensity', 'DynaMine', [0, 0.5]),
  earlyFolding: describe(
    'Early folding',
    'EFoldMine',
    [0, 0.5],
    divide(EARLY_FOLDING_ABOVE, true, 'early folding', 'not early folding'),
  ),
  disoMine: describe(
    'Disorder (DisoMine)',
    'DisoMine',
    UNIT,
    divide(DISORDER_ABOVE, true, 'disordered', 'ordered'),
  ),
  agmata: describe('Beta aggregation', 'AgMata', [0, 5], AGGREGATION, AGGREGATION_RESIDUES),
  viterbi: describe('State', 'PSPer'),
  complexity: describe('Complexity', 'PSPer'),
  arg: describe('Arginine', 'PSPer'),
  tyr: describe('Tyrosine', 'PSPer'),
  RRM: describe('RNA recognition motif', 'PSPer'),
  disorder: describe('Disorder around (PSPer)', 'PSPer'),
  shiftCrypt: describe('ShiftCrypt index', 'ShiftCrypt'),
  protein_score: describe(
    'Phase separation (PSPer)',
    'PSPer',
    UNIT,
    divide(PHASE_SEPARATION_FROM, false, 'may separate into phases', 'unlikely to separate'),
  ),
};
