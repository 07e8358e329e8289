/** The tables of predictions: `residues`, `alignments` and `shifts`, with one row per residue or column. */
import { asInteger, type Cell, type Cells, type ResultTable, tableColumns } from '../kind.ts';
import { aggregationRegions } from './measures.ts';
import {
  conservation,
  ALIGNMENT_KEYS,
  type AlignmentReading,
  backboneClass,
  type ChainReading,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  lengthOf,
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
    ...tableColumns('text', 'sequence'),
    ...tableColumns('integer', 'residue_index', 'residue_number'),
    ...tableColumns('text', 'residue'),
    ...Object.fromEntries(
      TRACK_KEYS.map((key) => [key, { type: key === 'viterbi' ? 'text' : 'number' } as const]),
    ),
    ...tableColumns('number', 'protein_score'),
    ...tableColumns('text', 'backbone_class'),
    ...tableColumns('boolean', 'early_folding', 'disordered', 'phase_separating'),
    ...tableColumns('boolean', 'aggregation_prone'),
  },
  rows: ({ proteins }) => proteins.map(residueCells),
};

function residueCells(protein: ProteinReading): Cells {
  const { name, residues, tracks, scores } = protein;
  const score = scores['protein_score'] ?? null;
  return {
    sequence: name,
    ...numberRows(lengthOf(protein), 'residue'),
    // The payload may lack the residues.
    residue: residues === '' ? null : residues.split(''),
    ...Object.fromEntries(TRACK_KEYS.map((key) => [key, tracks[key] ?? null])),
    protein_score: score,
    backbone_class: label(tracks['backbone'], backboneClass),
    early_folding: label(tracks['earlyFolding'], (value) => value > EARLY_FOLDING_ABOVE),
    disordered: label(tracks['disoMine'], (value) => value > DISORDER_ABOVE),
    phase_separating: score === null ? null : score >= PHASE_SEPARATION_FROM,
    aggregation_prone: markAggregation(tracks['agmata']),
  };
}

function numberRows(rows: number, of: 'residue' | 'column'): Cells {
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
  for (const [from, to] of aggregationRegions(track)) cells.fill(true, from, to);
  return cells;
}

/** One row per column; named as in the service's own CSV file: `backbone_median`. */
export const ALIGNMENTS_TABLE: ResultTable<unknown, AlignmentReading> = {
  name: 'alignments',
  words: 'columns of alignments',
  columns: {
    ...tableColumns('integer', 'column_index', 'column_number', 'sequences', 'gaps'),
    ...tableColumns(
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
    const conserved = conservation(rows, columns);
    return [
      {
        ...numberRows(columns, 'column'),
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
    ...tableColumns('text', 'chain'),
    ...tableColumns('integer', 'residue_index', 'residue_number'),
    ...tableColumns('text', 'residue'),
    ...tableColumns('number', 'shiftCrypt'),
    ...tableColumns('boolean', 'missing'),
  },
  rows: ({ chains }) => chains.map(chainCells),
};

function chainCells({ chain, residues, numbers, shiftCrypt }: ChainReading): Cells {
  return {
    chain,
    residue_index: shiftCrypt.map((_, index) => index),
    residue_number: numbers.map(asInteger),
    residue: shiftCrypt.map((_, index) => residues[index] ?? null),
    shiftCrypt,
    missing: shiftCrypt.map((value) => value === null || value === SHIFTS_MISSING),
  };
}
