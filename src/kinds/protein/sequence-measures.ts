/** Measures of a sequence. The residues of several chains of an item are counted together. */
import type { ProteinReading, SequenceReading } from '../reading.ts';
import {
  AGGREGATION_FROM,
  AGGREGATION_RESIDUES,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
} from './reading-aids.ts';
import { mean, numbersIn, share } from '../measure.ts';
import type { Measure } from '../kind.ts';

export const SEQUENCE_MEASURES: Readonly<Record<string, Measure<SequenceReading>>> = {
  length: {
    title: 'Length',
    unit: '',
    meaning: 'Number of residues.',
    decimals: 0,
    isMain: true,
    column: 'residues',
    of: ({ proteins }) => proteins.reduce((sum, protein) => sum + lengthOf(protein), 0),
  },
  disordered: {
    title: 'Disordered',
    unit: '%',
    meaning: `Share of the residues with a DisoMine value above ${DISORDER_ABOVE}.`,
    decimals: 1,
    isMain: true,
    column: 'disordered_percent',
    of: (result) => share(valuesIn(result, 'disoMine'), (value) => value > DISORDER_ABOVE),
  },
  backbone: {
    title: 'Mean backbone',
    unit: '',
    meaning:
      'Mean of DynaMine’s backbone dynamics: below 0.69 flexible, 0.69 to 0.8 depending on context, 0.8 to 1 rigid.',
    decimals: 3,
    isMain: true,
    column: 'backbone_mean',
    of: (result) => mean(valuesIn(result, 'backbone')),
  },
  earlyFoldingResidues: {
    title: 'Early folding',
    unit: 'residues',
    meaning: `Residues with an EFoldMine value above ${EARLY_FOLDING_ABOVE}.`,
    decimals: 0,
    isMain: true,
    column: 'early_folding_residues',
    of: countEarlyFolding,
  },
  aggregationRegions: {
    title: 'Aggregation regions',
    unit: '',
    meaning: `Stretches of ${AGGREGATION_RESIDUES} residues or more with an AgMata value of ${AGGREGATION_FROM} or more. AgMata’s authors give no threshold: this one is ours.`,
    decimals: 0,
    isMain: true,
    column: 'aggregation_regions',
    of: countAggregationRegions,
  },
  phaseSeparation: {
    title: 'Phase separation',
    unit: '',
    meaning: `PSPer’s score of the protein, the highest where the item has several; from ${PHASE_SEPARATION_FROM} on it may separate into phases.`,
    decimals: 3,
    isMain: true,
    column: 'phase_separation_score',
    of: maxScore,
  },
};

function valuesIn({ proteins }: SequenceReading, key: string): number[] {
  return proteins.flatMap(({ tracks }) => numbersIn(tracks[key]));
}

function countEarlyFolding(result: SequenceReading): number | null {
  const early = valuesIn(result, 'earlyFolding');
  return early.length === 0 ? null : early.filter((value) => value > EARLY_FOLDING_ABOVE).length;
}

function countAggregationRegions({ proteins }: SequenceReading): number | null {
  const tracks = proteins.flatMap(({ tracks: { agmata } }) => (agmata ? [agmata] : []));
  if (tracks.length === 0) return null;
  return tracks.reduce((sum, track) => sum + aggregationRegions(track).length, 0);
}

function maxScore({ proteins }: SequenceReading): number | null {
  const scores = proteins.flatMap((protein) => protein.scores['protein_score'] ?? []);
  return scores.length === 0 ? null : Math.max(...scores);
}

function lengthOf({ residues, tracks }: ProteinReading): number {
  return residues.length || Math.max(0, ...Object.values(tracks).map((track) => track.length));
}

/** Positions from 0; the end is exclusive. */
type Stretch = readonly [from: number, to: number];

/** The regions in which every value reaches the threshold, and that are long enough. */
export function aggregationRegions(track: readonly (number | string | null)[]): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (let place = 0; place <= track.length; place += 1) {
    const value = track[place];
    if (typeof value === 'number' && value >= AGGREGATION_FROM) continue;
    if (place - from >= AGGREGATION_RESIDUES) found.push([from, place]);
    from = place + 1;
  }
  return found;
}
