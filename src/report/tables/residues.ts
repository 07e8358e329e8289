/** `residues`: one row per residue of a sequence, with the values of all predictors. */
import {
  backboneClass,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
} from '../../results/reading-aids.ts';
import type { ProteinReading, SequenceReading, Track } from '../../results/reading.ts';
import { TRACK_KEYS } from '../../results/tracks.ts';
import { aggregationRegions } from '../../results/measures/sequence.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { columns, type Cell, type Column, type Slab } from './column.ts';
import { engineVersion } from './engine-version.ts';

export const RESIDUE_COLUMNS: readonly Column[] = [
  ...columns('text', 'id', 'sequence'),
  ...columns('integer', 'residue_index', 'residue_number'),
  ...columns('text', 'residue'),
  ...TRACK_KEYS.map((name): Column => ({ name, type: name === 'viterbi' ? 'text' : 'number' })),
  ...columns('number', 'protein_score'),
  ...columns('text', 'backbone_class'),
  ...columns('boolean', 'early_folding', 'disordered', 'phase_separating'),
  ...columns('text', 'engine', 'engine_version'),
  ...columns('boolean', 'aggregation_prone'),
];

export function residueSlabs({ proteins }: SequenceReading, record: ItemRecord): readonly Slab[] {
  return proteins.map((protein) => residueSlab(protein, record));
}

function residueSlab({ name, residues, tracks, scores }: ProteinReading, record: ItemRecord): Slab {
  const rows =
    residues.length || Math.max(0, ...Object.values(tracks).map((track) => track.length));
  const indices = Array.from({ length: rows }, (_, index) => index);
  const score = scores['protein_score'] ?? null;
  const cells = [
    ...[record.id, name, indices, indices.map((index) => index + 1)],
    // The payload may lack the residues.
    residues === '' ? null : residues.split(''),
    ...TRACK_KEYS.map((key) => tracks[key] ?? null),
    score,
    labels(tracks['backbone'], backboneClass),
    labels(tracks['earlyFolding'], (value) => value > EARLY_FOLDING_ABOVE),
    labels(tracks['disoMine'], (value) => value > DISORDER_ABOVE),
    score === null ? null : score >= PHASE_SEPARATION_FROM,
    record.engine ?? null,
    engineVersion(record),
    inAggregationRegion(tracks['agmata']),
  ];
  return { rows, cells };
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
