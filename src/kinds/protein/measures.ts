/** Measures of sequences, alignments and shift files. Several chains of an item are counted together. */
import type {
  AlignmentReading,
  ColumnSpread,
  ProteinReading,
  SequenceReading,
  ShiftsReading,
} from '../reading.ts';
import {
  AGGREGATION_FROM,
  AGGREGATION_RESIDUES,
  ALIGNMENT_KEYS,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
  SHIFTS_MISSING,
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

const TITLES: Readonly<Record<string, string>> = {
  backbone: 'Backbone',
  sidechain: 'Side chain',
  helix: 'Helix',
  sheet: 'Sheet',
  coil: 'Coil',
  ppII: 'Polyproline II',
  earlyFolding: 'Early folding',
  disoMine: 'Disorder (DisoMine)',
  agmata: 'Aggregation',
};

export const ALIGNMENT_MEASURES: Readonly<Record<string, Measure<AlignmentReading>>> = {
  sequences: {
    title: 'Sequences',
    unit: '',
    meaning: 'Rows of the alignment.',
    decimals: 0,
    isMain: true,
    of: ({ proteins }) => proteins.length,
  },
  columns: {
    title: 'Columns',
    unit: '',
    meaning: 'Columns of the alignment.',
    decimals: 0,
    isMain: true,
    of: ({ columns }) => columns,
  },
  conservation: {
    title: 'Conservation',
    unit: '%',
    meaning:
      'Mean over the columns of 1 − entropy / log 20 of the residues, times the share of rows without a gap.',
    decimals: 1,
    isMain: true,
    column: 'conservation_percent',
    of: meanConservation,
  },
  ...Object.fromEntries(
    ALIGNMENT_KEYS.flatMap((key): [string, Measure<AlignmentReading>][] => {
      const title = TITLES[key] ?? key;
      const isMain = key === 'backbone' || key === 'disoMine';
      const common = { unit: '', decimals: 3 };
      return [
        [
          `${key}_mean`,
          {
            ...common,
            title: `${title}, mean`,
            meaning: 'Mean over the columns of the median of the rows.',
            isMain,
            of: ({ spreads }) => mean(numbersIn(spreads[key]?.median)),
          },
        ],
        [
          `${key}_spread`,
          {
            ...common,
            title: `${title}, spread`,
            meaning: 'Mean over the columns of the distance between the quartiles of the rows.',
            isMain: key === 'backbone',
            of: ({ spreads }) => meanSpread(spreads[key]),
          },
        ],
      ];
    }),
  ),
};

function meanConservation(reading: AlignmentReading): number | null {
  const conserved = conservationOf(reading);
  const share = conserved === null ? null : mean(conserved);
  return share === null ? null : 100 * share;
}

function meanSpread(spread: ColumnSpread | undefined): number | null {
  const { firstQuartile, thirdQuartile } = spread ?? {};
  const distances = thirdQuartile?.map((high, column) => minus(high, firstQuartile?.[column]));
  return mean(numbersIn(distances));
}

function minus(high: unknown, low: unknown): number | null {
  return typeof high === 'number' && typeof low === 'number' ? high - low : null;
}

/** Residue codes in a column: the twenty amino acids, and other residue letters. */
const CODES = 128;
const GAPS = new Set(['-', '.', '~'].map((gap) => gap.charCodeAt(0)));
const MOST_BITS = Math.log2(20);

/** Both tables and measures need it. */
const known = new WeakMap<AlignmentReading, readonly number[] | null>();

/** `conservation` of the rows of this alignment, computed once. */
export function conservationOf(reading: AlignmentReading): readonly number[] | null {
  let conserved = known.get(reading);
  if (conserved === undefined) {
    const rows = reading.proteins.map(({ residues }) => residues);
    conserved = conservation(rows, reading.columns);
    known.set(reading, conserved);
  }
  return conserved;
}

/**
 * For each column, from 0 to 1: 1 minus the normalised Shannon entropy of its residues, times the fraction of rows
 * without a gap. Null if the payload does not contain the residues of every row.
 */
export function conservation(rows: readonly string[], columns: number): number[] | null {
  if (rows.length === 0 || rows.some((residues) => residues.length !== columns)) return null;
  const counts = new Uint32Array(CODES);
  return Array.from({ length: columns }, (_, column) => {
    counts.fill(0);
    let filled = 0;
    for (const residues of rows) {
      const code = residues.charCodeAt(column);
      if (GAPS.has(code)) continue;
      counts[code % CODES] = (counts[code % CODES] ?? 0) + 1;
      filled += 1;
    }
    if (filled === 0) return 0;
    let bits = 0;
    for (const count of counts) {
      if (count > 0) bits -= (count / filled) * Math.log2(count / filled);
    }
    return Math.max(0, 1 - bits / MOST_BITS) * (filled / rows.length);
  });
}

export const SHIFTS_MEASURES = {
  residues: {
    title: 'Residues',
    unit: '',
    meaning: 'Residues of the chains.',
    decimals: 0,
    isMain: true,
    of: (result) => indicesIn(result).length,
  },
  measured: {
    title: 'Measured',
    unit: '%',
    meaning: 'Share of the residues with a ShiftCrypt index: enough of their shifts are known.',
    decimals: 1,
    isMain: true,
    column: 'measured_percent',
    of(result) {
      const all = indicesIn(result).length;
      return all === 0 ? null : (100 * measuredIn(result).length) / all;
    },
  },
  shiftCryptMean: {
    title: 'Mean ShiftCrypt',
    unit: '',
    meaning: 'Mean of the index where there is one: low in helices, high in strands.',
    decimals: 3,
    isMain: true,
    column: 'shiftCrypt_mean',
    of: (result) => mean(measuredIn(result)),
  },
} as const satisfies Readonly<Record<string, Measure<ShiftsReading>>>;

export function indicesIn({ chains }: ShiftsReading): (number | null)[] {
  return chains.flatMap(({ shiftCrypt }) => shiftCrypt);
}

export function measuredIn(result: ShiftsReading): number[] {
  return indicesIn(result).filter(
    (value) => value !== null && value !== SHIFTS_MISSING,
  ) as number[];
}
