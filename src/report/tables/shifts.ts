/** `shifts`: one row per residue of a shift file. */
import { SHIFTS_MISSING } from '../../results/reading-aids.ts';
import type { ChainReading, ShiftsReading } from '../../results/reading.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { asInteger, columns, type Slab } from './column.ts';
import { engineVersion } from './engine-version.ts';

export const SHIFTS_COLUMNS = [
  ...columns('text', 'id', 'chain'),
  ...columns('integer', 'residue_index', 'residue_number'),
  ...columns('text', 'residue'),
  ...columns('number', 'shiftCrypt'),
  ...columns('boolean', 'missing'),
  ...columns('text', 'engine', 'engine_version'),
];

export function shiftsSlabs({ chains }: ShiftsReading, record: ItemRecord): readonly Slab[] {
  return chains.map((chain) => chainSlab(chain, record));
}

function chainSlab(
  { chain, residues, numbers, shiftCrypt }: ChainReading,
  record: ItemRecord,
): Slab {
  const cells = [
    ...[record.id, chain, shiftCrypt.map((_, index) => index)],
    numbers.map(asInteger),
    shiftCrypt.map((_, index) => residues[index] ?? null),
    ...[shiftCrypt, shiftCrypt.map((value) => value === null || value === SHIFTS_MISSING)],
    record.engine ?? null,
    engineVersion(record),
  ];
  return { rows: shiftCrypt.length, cells };
}
