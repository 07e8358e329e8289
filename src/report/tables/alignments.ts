/** `alignments`: one row per column of an alignment, with the distribution of the values over its rows. */
import { conservationOf } from '../../results/measures/alignment.ts';
import { SPREAD_KEYS, type AlignmentReading } from '../../results/reading.ts';
import { ALIGNMENT_KEYS } from '../../results/tracks.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { columns, type Column, type Slab } from './column.ts';
import { engineVersion } from './engine-version.ts';

/** Named as in the service's own CSV file: `backbone_median`. */
export const ALIGNMENT_COLUMNS: readonly Column[] = [
  ...columns('text', 'id'),
  ...columns('integer', 'column_index', 'column_number', 'sequences', 'gaps'),
  ...ALIGNMENT_KEYS.flatMap((key) =>
    columns('number', ...SPREAD_KEYS.map((name) => `${key}_${name}`)),
  ),
  ...columns('text', 'engine', 'engine_version'),
  ...columns('number', 'conservation'),
];

export function alignmentSlabs(reading: AlignmentReading, record: ItemRecord): readonly Slab[] {
  const { proteins, columns: rows, spreads } = reading;
  const indices = Array.from({ length: rows }, (_, index) => index);
  const cells = [
    ...[record.id, indices, indices.map((index) => index + 1)],
    ...[proteins.length, gapsByColumn(proteins, rows)],
    ...ALIGNMENT_KEYS.flatMap((key) => {
      const spread = spreads[key];
      return SPREAD_KEYS.map((name) => spread?.[name] ?? null);
    }),
    record.engine ?? null,
    engineVersion(record),
    conservationOf(reading)?.map((value) => Math.round(value * 1e4) / 1e4) ?? null,
  ];
  return [{ rows, cells }];
}

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
