/** The tables of predictions: `residues`, `alignments` and `shifts`, with one row per residue or column. */
import { aggregationRegions, conservationOf } from './measures.ts';
import {
  ALIGNMENT_KEYS,
  backboneClass,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
  SHIFTS_MISSING,
  TRACK_KEYS,
} from './reading-aids.ts';
import {
  type AlignmentReading,
  type ChainReading,
  type ProteinReading,
  type SequenceReading,
  type ShiftsReading,
  SPREAD_KEYS,
  type Track,
} from '../reading.ts';
import { asInteger, type Cell, type Cells, type ResultTable, tableColumns } from '../kind.ts';

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

function residueCells({ name, residues, tracks, scores }: ProteinReading): Cells {
  const rows =
    residues.length || Math.max(0, ...Object.values(tracks).map((track) => track.length));
  const score = scores['protein_score'] ?? null;
  return {
    sequence: name,
    ...numbering(rows, 'residue'),
    // The payload may lack the residues.
    residue: residues === '' ? null : residues.split(''),
    ...Object.fromEntries(TRACK_KEYS.map((key) => [key, tracks[key] ?? null])),
    protein_score: score,
    backbone_class: labels(tracks['backbone'], backboneClass),
    early_folding: labels(tracks['earlyFolding'], (value) => value > EARLY_FOLDING_ABOVE),
    disordered: labels(tracks['disoMine'], (value) => value > DISORDER_ABOVE),
    phase_separating: score === null ? null : score >= PHASE_SEPARATION_FROM,
    aggregation_prone: inAggregationRegion(tracks['agmata']),
  };
}

function numbering(rows: number, of: 'residue' | 'column'): Cells {
  const indices = Array.from({ length: rows }, (_, index) => index);
  return { [`${of}_index`]: indices, [`${of}_number`]: indices.map((index) => index + 1) };
}

/** Null if there is no value; null for all rows if the predictor did not run. */
function labels(track: Track | undefined, label: (value: number) => Cell): null | readonly Cell[] {
  return track?.map((value) => (typeof value === 'number' ? label(value) : null)) ?? null;
}

function inAggregationRegion(track: Track | undefined): null | readonly Cell[] {
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
  rows(reading) {
    const { proteins, columns, spreads } = reading;
    const spreadCells = ALIGNMENT_KEYS.flatMap((key) =>
      SPREAD_KEYS.map((name) => [`${key}_${name}`, spreads[key]?.[name] ?? null] as const),
    );
    return [
      {
        ...numbering(columns, 'column'),
        sequences: proteins.length,
        gaps: gapsByColumn(proteins, columns),
        ...Object.fromEntries(spreadCells),
        conservation:
          conservationOf(reading)?.map((value) => Math.round(value * 1e4) / 1e4) ?? null,
      },
    ];
  },
};

/** Null if the payload does not contain the residues of every row. */
function gapsByColumn(proteins: AlignmentReading['proteins'], rows: number): number[] | null {
  if (proteins.some(({ residues }) => residues === '')) return null;
  const gaps = new Array<number>(rows).fill(0);
  for (const { residues } of proteins) {
    for (let index = residues.indexOf('-'); index >= 0; index = residues.indexOf('-', index + 1)) {
      gaps[index] = (gaps[index] ?? 0) + 1;
    }
  }
  return gaps;
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
