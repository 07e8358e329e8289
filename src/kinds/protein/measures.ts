/** Measures and tables of sequences, alignments and shift files. Several chains of an item are counted together. */
import {
  type Measure,
  toInteger,
  type Cell,
  type Cells,
  type ResultTable,
  type Series,
  defineColumns,
} from '../kind.ts';
import {
  type AlignmentReading,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  countResidues,
  PHASE_SEPARATION_FROM,
  type SequenceReading,
  SHIFTS_MISSING,
  type ShiftsReading,
  type Track,
  ALIGNMENT_KEYS,
  classifyBackbone,
  type ChainReading,
  type ProteinReading,
  SPREAD_KEYS,
  TRACK_FACTS,
  TRACK_KEYS,
} from './reading.ts';

/** What most measures are. */
const MAIN = { unit: '', decimals: 0, isMain: true } as const;

export const SEQUENCE_MEASURES: Readonly<Record<string, Measure<SequenceReading>>> = {
  length: {
    ...MAIN,
    title: 'Length',
    meaning: 'Number of residues.',
    column: 'residues',
    of: ({ proteins }) => proteins.reduce((sum, protein) => sum + countResidues(protein), 0),
  },
  disordered: {
    ...MAIN,
    title: 'Disordered',
    unit: '%',
    meaning: `Share of the residues with a DisoMine value above ${DISORDER_ABOVE}.`,
    decimals: 1,
    column: 'disordered_percent',
    of: (result) => computePercentAbove(listValues(result, 'disoMine'), DISORDER_ABOVE),
  },
  backbone: {
    ...MAIN,
    title: 'Mean backbone',
    meaning:
      'Mean of DynaMine’s backbone dynamics: below 0.69 flexible, 0.69 to 0.8 depending on context, 0.8 to 1 rigid.',
    decimals: 3,
    column: 'backbone_mean',
    of: (result) => computeMean(listValues(result, 'backbone')),
  },
  earlyFoldingResidues: {
    ...MAIN,
    title: 'Early folding',
    unit: 'residues',
    meaning: `Residues with an EFoldMine value above ${EARLY_FOLDING_ABOVE}.`,
    column: 'early_folding_residues',
    of(result) {
      const values = listValues(result, 'earlyFolding');
      const early = values.filter((value) => value > EARLY_FOLDING_ABOVE);
      return values.length === 0 ? null : early.length;
    },
  },
  phaseSeparation: {
    ...MAIN,
    title: 'Phase separation',
    meaning: `PSPer’s score of the protein, the highest where the item has several; from ${PHASE_SEPARATION_FROM} on it may separate into phases.`,
    decimals: 3,
    column: 'phase_separation_score',
    of({ proteins }) {
      const scores = proteins.flatMap((protein) => protein.scores['protein_score'] ?? []);
      return scores.length === 0 ? null : Math.max(...scores);
    },
  },
};

/** The numeric values of a chain. */
export function listNumbers(track: Track = []): number[] {
  return track.filter((value) => typeof value === 'number');
}

/** Null if there are no values. */
export function computeMean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** In per cent; null if there are no values. */
function computePercentAbove(values: readonly number[], limit: number): number | null {
  return computeMean(values.map((value) => (value > limit ? 100 : 0)));
}

function listValues({ proteins }: SequenceReading, key: string): number[] {
  return proteins.flatMap(({ tracks }) => listNumbers(tracks[key]));
}

export const ALIGNMENT_MEASURES: Readonly<Record<string, Measure<AlignmentReading>>> = {
  sequences: {
    ...MAIN,
    title: 'Sequences',
    meaning: 'Rows of the alignment.',
    of: ({ proteins }) => proteins.length,
  },
  columns: {
    ...MAIN,
    title: 'Columns',
    meaning: 'Columns of the alignment.',
    of: ({ columns }) => columns,
  },
  conservation: {
    ...MAIN,
    title: 'Conservation',
    unit: '%',
    meaning:
      'Mean over the columns of 1 − entropy / log 20 of the residues, times the share of rows without a gap.',
    decimals: 1,
    column: 'conservation_percent',
    of({ conservation }) {
      const mean = computeMean(conservation ?? []);
      return mean === null ? null : 100 * mean;
    },
  },
  ...Object.fromEntries(
    ALIGNMENT_KEYS.map((key): [string, Measure<AlignmentReading>] => [
      `${key}_mean`,
      {
        ...MAIN,
        title: `${TRACK_FACTS[key]?.title ?? key}, mean`,
        meaning: 'Mean over the columns of the median of the rows.',
        decimals: 3,
        isMain: key === 'backbone' || key === 'disoMine',
        of: ({ spreads }) => computeMean(listNumbers(spreads[key]?.median)),
      },
    ]),
  ),
};

export const SHIFTS_MEASURES: Readonly<Record<string, Measure<ShiftsReading>>> = {
  residues: {
    ...MAIN,
    title: 'Residues',
    meaning: 'Residues of the chains.',
    of: (result) => listIndices(result).length,
  },
  measured: {
    ...MAIN,
    title: 'Measured',
    unit: '%',
    meaning: 'Share of the residues with a ShiftCrypt index: enough of their shifts are known.',
    decimals: 1,
    column: 'measured_percent',
    of(result) {
      const all = listIndices(result).length;
      return all === 0 ? null : (100 * listMeasured(result).length) / all;
    },
  },
  shiftCryptMean: {
    ...MAIN,
    title: 'Mean ShiftCrypt',
    meaning: 'Mean of the index where there is one: low in helices, high in strands.',
    decimals: 3,
    column: 'shiftCrypt_mean',
    of: (result) => computeMean(listMeasured(result)),
  },
};

export function listIndices({ chains }: ShiftsReading): (number | null)[] {
  return chains.flatMap(({ shiftCrypt }) => shiftCrypt);
}

export function listMeasured(result: ShiftsReading): number[] {
  return listNumbers(listIndices(result)).filter((value) => value !== SHIFTS_MISSING);
}

/** Measured at two installations: all values are equal but those of DisoMine (3.2e-6). A service may round to three places. */
const TOLERANCE = 1e-3;

/** Values of a predictor at each residue, of all chains one after the other. */
export const SEQUENCE_SERIES = createSeries(TRACK_KEYS, ({ proteins }: SequenceReading, key) =>
  proteins.flatMap(({ tracks }) => tracks[key] ?? []),
);

/** Medians of a predictor at each column. */
export const ALIGNMENT_SERIES = createSeries(
  ALIGNMENT_KEYS,
  ({ spreads }: AlignmentReading, key) => spreads[key]?.median ?? [],
);

export const SHIFTS_SERIES = createSeries(['shiftCrypt'], listIndices);

function createSeries<R>(
  keys: readonly string[],
  of: (result: R, key: string) => Track,
): Readonly<Record<string, Series<R>>> {
  const create = (key: string): Series<R> => ({
    title: TRACK_FACTS[key]?.title ?? key,
    tolerance: TOLERANCE,
    of: (result) => of(result, key).map((value) => (typeof value === 'number' ? value : null)),
  });
  return Object.fromEntries(keys.map((key) => [key, create(key)]));
}

/** One row per residue of a sequence, with the values of all predictors. */
export const RESIDUES_TABLE: ResultTable<unknown, SequenceReading> = {
  name: 'residues',
  words: 'residues of sequences',
  columns: {
    ...defineColumns('text', 'sequence'),
    ...defineColumns('integer', 'residue_index', 'residue_number'),
    ...defineColumns('text', 'residue'),
    ...Object.fromEntries(
      TRACK_KEYS.map((key) => [key, { type: key === 'viterbi' ? 'text' : 'number' } as const]),
    ),
    ...defineColumns('number', 'protein_score'),
    ...defineColumns('text', 'backbone_class'),
    ...defineColumns('boolean', 'early_folding', 'disordered', 'phase_separating'),
  },
  rows: ({ proteins }) => proteins.map(listResidueCells),
};

function listResidueCells(protein: ProteinReading): Cells {
  const { name, residues, tracks, scores } = protein;
  const score = scores['protein_score'] ?? null;
  return {
    sequence: name,
    ...listRowNumbers(countResidues(protein), 'residue'),
    // The payload may lack the residues.
    residue: residues === '' ? null : residues.split(''),
    ...Object.fromEntries(TRACK_KEYS.map((key) => [key, tracks[key] ?? null])),
    protein_score: score,
    backbone_class: label(tracks['backbone'], classifyBackbone),
    early_folding: label(tracks['earlyFolding'], (value) => value > EARLY_FOLDING_ABOVE),
    disordered: label(tracks['disoMine'], (value) => value > DISORDER_ABOVE),
    phase_separating: score === null ? null : score >= PHASE_SEPARATION_FROM,
  };
}

function listRowNumbers(rows: number, of: 'residue' | 'column'): Cells {
  const indices = Array.from({ length: rows }, (_, index) => index);
  return { [`${of}_index`]: indices, [`${of}_number`]: indices.map((index) => index + 1) };
}

/** Null if there is no value; null for all rows if the predictor did not run. */
function label(
  track: Track | undefined,
  classify: (value: number) => Cell,
): null | readonly Cell[] {
  return track?.map((value) => (typeof value === 'number' ? classify(value) : null)) ?? null;
}

/** One row per column; named as in the service's own CSV file: `backbone_median`. */
export const ALIGNMENTS_TABLE: ResultTable<unknown, AlignmentReading> = {
  name: 'alignments',
  words: 'columns of alignments',
  columns: {
    ...defineColumns('integer', 'column_index', 'column_number', 'sequences', 'gaps'),
    ...defineColumns(
      'number',
      ...ALIGNMENT_KEYS.flatMap((key) => SPREAD_KEYS.map((name) => `${key}_${name}`)),
      'conservation',
    ),
  },
  rows({ proteins, columns, conservation, spreads }) {
    const spreadCells = ALIGNMENT_KEYS.flatMap((key) =>
      SPREAD_KEYS.map((name) => [`${key}_${name}`, spreads[key]?.[name] ?? null] as const),
    );
    return [
      {
        ...listRowNumbers(columns, 'column'),
        sequences: proteins.length,
        gaps: countGaps(proteins, columns),
        ...Object.fromEntries(spreadCells),
        conservation: conservation?.map((value) => Math.round(value * 1e4) / 1e4) ?? null,
      },
    ];
  },
};

/** Null if the payload does not contain the residues of every row. */
function countGaps(proteins: AlignmentReading['proteins'], columns: number): number[] | null {
  if (proteins.some(({ residues }) => residues === '')) return null;
  return Array.from(
    { length: columns },
    (_, column) => proteins.filter(({ residues }) => residues[column] === '-').length,
  );
}

/** One row per residue of a shift file. */
export const SHIFTS_TABLE: ResultTable<unknown, ShiftsReading> = {
  name: 'shifts',
  words: 'residues of shift files',
  columns: {
    ...defineColumns('text', 'chain'),
    ...defineColumns('integer', 'residue_index', 'residue_number'),
    ...defineColumns('text', 'residue'),
    ...defineColumns('number', 'shiftCrypt'),
    ...defineColumns('boolean', 'missing'),
  },
  rows: ({ chains }) => chains.map(listChainCells),
};

function listChainCells({ chain, residues, numbers, shiftCrypt }: ChainReading): Cells {
  return {
    chain,
    residue_index: shiftCrypt.map((_, index) => index),
    residue_number: numbers.map(toInteger),
    residue: shiftCrypt.map((_, index) => residues[index] ?? null),
    shiftCrypt,
    missing: shiftCrypt.map((value) => value === null || value === SHIFTS_MISSING),
  };
}
