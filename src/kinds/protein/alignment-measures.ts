/** Measures of an alignment. */
import type { AlignmentReading, ColumnSpread } from '../reading.ts';
import { ALIGNMENT_KEYS } from './reading-aids.ts';
import { mean, numbersIn } from '../measure.ts';
import type { Measure } from '../kind.ts';

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
