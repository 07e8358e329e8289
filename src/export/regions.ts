/** Stretches of a chain in which a predictor is above its threshold (results/reading-aids.ts). Pure. */
import type { ProteinReading } from '../results/reading.ts';
import {
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  MEMBRANE_ABOVE,
  PHASE_SEPARATION_FROM,
  RIGID_FROM,
} from '../results/reading-aids.ts';

/** A rule by which a track becomes regions. */
interface Rule {
  readonly track: string;
  readonly label: string;
  /** Term of the Sequence Ontology. */
  readonly term: string;
  /** The program that predicted the track. */
  readonly program: string;
  readonly holds: (value: number) => boolean;
  /** `> 0.5`, for people. */
  readonly bound: string;
}

export interface Region extends Omit<Rule, 'holds'> {
  /** Residues, counted from 1 without gaps; both are part of the region. */
  readonly start: number;
  readonly end: number;
  /** Mean of the values; of a whole protein its score. */
  readonly score: number;
}

const REGION = 'polypeptide_region';

const RULES: readonly Rule[] = [
  {
    track: 'backbone',
    label: 'rigid backbone',
    term: REGION,
    program: 'DynaMine',
    holds: (value) => value >= RIGID_FROM,
    bound: `>= ${RIGID_FROM}`,
  },
  {
    track: 'backbone',
    label: 'membrane-spanning',
    term: REGION,
    program: 'DynaMine',
    holds: (value) => value > MEMBRANE_ABOVE,
    bound: `> ${MEMBRANE_ABOVE}`,
  },
  {
    track: 'earlyFolding',
    label: 'early folding',
    term: REGION,
    program: 'EFoldMine',
    holds: (value) => value > EARLY_FOLDING_ABOVE,
    bound: `> ${EARLY_FOLDING_ABOVE}`,
  },
  {
    track: 'disoMine',
    label: 'disordered',
    term: 'intrinsically_unstructured_polypeptide_region',
    program: 'DisoMine',
    holds: (value) => value > DISORDER_ABOVE,
    bound: `> ${DISORDER_ABOVE}`,
  },
];

const PHASE_SEPARATION = {
  track: 'protein_score',
  label: 'phase separation',
  term: REGION,
  program: 'PSPer',
  bound: `>= ${PHASE_SEPARATION_FROM}`,
} as const;

/** Length of the chain without gaps, in residues. */
export function chainLength({ residues, tracks }: ProteinReading): number {
  return residues === '' ? (Object.values(tracks)[0]?.length ?? 0) : ungapped(residues).length;
}

/** By rule, and then along the chain. */
export function regionsOf(protein: ProteinReading): readonly Region[] {
  const regions = RULES.flatMap((rule) => {
    const track = protein.tracks[rule.track];
    return track === undefined ? [] : runs(rule, withoutGaps(track, protein.residues));
  });
  const score = protein.scores[PHASE_SEPARATION.track];
  const length = chainLength(protein);
  if (score === undefined || score < PHASE_SEPARATION_FROM || length === 0) return regions;
  return [...regions, { ...PHASE_SEPARATION, start: 1, end: length, score }];
}

function runs({ holds, ...rule }: Rule, values: readonly (number | string | null)[]): Region[] {
  const regions: Region[] = [];
  let start = -1;
  for (let index = 0; index <= values.length; index += 1) {
    const value = values[index];
    const isIn = typeof value === 'number' && holds(value);
    if (isIn && start === -1) start = index;
    if (isIn || start === -1) continue;
    const inside = values.slice(start, index).map(Number);
    const score = inside.reduce((sum, one) => sum + one, 0) / inside.length;
    regions.push({ ...rule, start: start + 1, end: index, score });
    start = -1;
  }
  return regions;
}

/** The values of the residues: a row of an alignment has a value for each column. */
export function withoutGaps<T>(values: readonly T[], residues: string): readonly T[] {
  return residues.includes('-') ? values.filter((_, index) => residues[index] !== '-') : values;
}

export function ungapped(residues: string): string {
  return residues.replaceAll('-', '');
}
