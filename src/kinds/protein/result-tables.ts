/** The tables of predictions: `residues`, `alignments` and `shifts`, with one row per residue or column. */
import { toInteger, type Cell, type Cells, type ResultTable, defineColumns } from '../kind.ts';
import { findAggregationRegions } from './measures.ts';
import {
  computeConservation,
  ALIGNMENT_KEYS,
  type AlignmentReading,
  classifyBackbone,
  type ChainReading,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  countResidues,
  PHASE_SEPARATION_FROM,
  type ProteinReading,
  type SequenceReading,
  SHIFTS_MISSING,
  type ShiftsReading,
  SPREAD_KEYS,
  type Track,
  TRACK_KEYS,
} from './reading.ts';

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
    ...defineColumns('boolean', 'aggregation_prone'),
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
    aggregation_prone: markAggregation(tracks['agmata']),
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

function markAggregation(track: Track | undefined): null | readonly Cell[] {
  if (track === undefined) return null;
  const cells: Cell[] = track.map((value) => (typeof value === 'number' ? false : null));
  for (const [from, to] of findAggregationRegions(track)) cells.fill(true, from, to);
  return cells;
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
  rows({ proteins, columns, spreads }) {
    const spreadCells = ALIGNMENT_KEYS.flatMap((key) =>
      SPREAD_KEYS.map((name) => [`${key}_${name}`, spreads[key]?.[name] ?? null] as const),
    );
    const rows = proteins.map(({ residues }) => residues);
    const conserved = computeConservation(rows, columns);
    return [
      {
        ...listRowNumbers(columns, 'column'),
        sequences: proteins.length,
        gaps: countGaps(proteins, columns),
        ...Object.fromEntries(spreadCells),
        conservation: conserved?.map((value) => Math.round(value * 1e4) / 1e4) ?? null,
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
