/** Regions of a chain in which a predictor is above its threshold (kinds/protein/reading.ts). Pure. */
import {
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  MEMBRANE_ABOVE,
  PHASE_SEPARATION_FROM,
  type ProteinReading,
  RIGID_FROM,
} from '../kinds/protein/reading.ts';

/** A rule for the regions of a track. */
interface Rule {
  readonly track: string;
  readonly label: string;
  /** Term of the Sequence Ontology. */
  readonly term: string;
  /** The program that predicted the track. */
  readonly program: string;
  readonly threshold: number;
  /** Whether a value equal to the threshold belongs to the region. */
  readonly includes: boolean;
}

export interface Region extends Omit<Rule, 'threshold' | 'includes'> {
  /** `> 0.5`, for display. */
  readonly bound: string;
  /** Residues, counted from 1 without gaps; both are inclusive. */
  readonly start: number;
  readonly end: number;
  /** Mean of the values; for a whole protein its score. */
  readonly score: number;
}

const REGION = 'polypeptide_region';

const RULES: readonly Rule[] = [
  {
    track: 'backbone',
    label: 'rigid backbone',
    term: REGION,
    program: 'DynaMine',
    threshold: RIGID_FROM,
    includes: true,
  },
  {
    track: 'backbone',
    label: 'membrane-spanning',
    term: REGION,
    program: 'DynaMine',
    threshold: MEMBRANE_ABOVE,
    includes: false,
  },
  {
    track: 'earlyFolding',
    label: 'early folding',
    term: REGION,
    program: 'EFoldMine',
    threshold: EARLY_FOLDING_ABOVE,
    includes: false,
  },
  {
    track: 'disoMine',
    label: 'disordered',
    term: 'intrinsically_unstructured_polypeptide_region',
    program: 'DisoMine',
    threshold: DISORDER_ABOVE,
    includes: false,
  },
];

/** For graphs: the thresholds of the tracks. */
export const THRESHOLDS = RULES.map(({ track, label, threshold: value }) => {
  return { track, label, value };
});

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

function runs(
  { threshold, includes, ...rule }: Rule,
  values: readonly (number | string | null)[],
): Region[] {
  const bound = `${includes ? '>=' : '>'} ${threshold}`;
  const holds = (value: number): boolean => value > threshold || (includes && value === threshold);
  const regions: Region[] = [];
  let start = -1;
  for (let index = 0; index <= values.length; index += 1) {
    const value = values[index];
    const isIn = typeof value === 'number' && holds(value);
    if (isIn && start === -1) start = index;
    if (isIn || start === -1) continue;
    const inside = values.slice(start, index).map(Number);
    const score = inside.reduce((sum, one) => sum + one, 0) / inside.length;
    regions.push({ ...rule, bound, start: start + 1, end: index, score });
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
