/** The rows of one result in the table of its kind, ready for both of the table's files. */
import { KINDS, type Kind } from '../../domain/item.ts';
import type { ResultReading } from '../../results/reading.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { ownCells } from '../own-columns.ts';
import { ALIGNMENT_COLUMNS, alignmentSlabs } from './alignments.ts';
import { columns, type Column, type Slab } from './column.ts';
import { csvRows } from './csv-rows.ts';
import { MOLECULE_COLUMNS, moleculeSlabs } from './molecules.ts';
import { packSlab, unpackSlab, type PackedSlab } from './packed-slab.ts';
import { RESIDUE_COLUMNS, residueSlabs } from './residues.ts';
import { SHIFTS_COLUMNS, shiftsSlabs } from './shifts.ts';

/** Columns that every campaign has; the user's own follow them. */
export const RESULT_COLUMNS: Readonly<Record<Kind, readonly Column[]>> = {
  molecule: MOLECULE_COLUMNS,
  sequence: RESIDUE_COLUMNS,
  alignment: ALIGNMENT_COLUMNS,
  shifts: SHIFTS_COLUMNS,
};

/** Names of the user's columns by table, in order of appearance. */
export type OwnColumnsByKind = Readonly<Record<Kind, ReadonlySet<string>>>;

/** Collects the names over all items: a row that fails now may later have its result, in the same columns. */
export class OwnColumns {
  readonly byKind: Readonly<Record<Kind, Set<string>>> = {
    molecule: new Set(),
    sequence: new Set(),
    alignment: new Set(),
    shifts: new Set(),
  };

  readonly #ours: (kind: Kind) => readonly string[];

  /** `ours`: the reserved names of our own columns in the table of a kind. */
  constructor(ours: (kind: Kind) => readonly string[] = (kind) => OUR_NAMES[kind]) {
    this.#ours = ours;
  }

  add({ kind, user }: Pick<ItemRecord, 'kind' | 'user'>): void {
    for (const name of ownCells(user, this.#ours(kind)).keys()) this.byKind[kind].add(name);
  }
}

export interface ResultRows {
  /** UTF-8. */
  readonly csv: Uint8Array<ArrayBuffer>;
  readonly slabs: readonly PackedSlab[];
}

const UTF8 = new TextEncoder();
const OUR_NAMES = byKind((kind) => RESULT_COLUMNS[kind].map(({ name }) => name));

/** All columns of the table of this kind. */
export function tableColumns(kind: Kind, own: OwnColumnsByKind): readonly Column[] {
  return [...RESULT_COLUMNS[kind], ...columns('text', ...own[kind])];
}

export function makeRows(
  reading: ResultReading,
  record: ItemRecord,
  own: OwnColumnsByKind,
): ResultRows {
  const { kind } = record;
  const cells = ownCells(record.user, OUR_NAMES[kind]);
  // CSV has only one way to write an empty value.
  const ownOfItem = Array.from(own[kind], (name) => cells.get(name) || null);
  const slabs = slabsOf(reading, record).map((slab) => ({
    ...slab,
    cells: [...slab.cells, ...ownOfItem],
  }));
  return packedRows(tableColumns(kind, own), slabs);
}

/** The rows that `slabs` were packed from. */
export function rowsOf(
  kind: Kind,
  slabs: readonly PackedSlab[],
  own: OwnColumnsByKind,
): ResultRows {
  return { csv: csvOf(tableColumns(kind, own), slabs.map(unpackSlab)), slabs };
}

export function packedRows(all: readonly Column[], slabs: readonly Slab[]): ResultRows {
  return { csv: csvOf(all, slabs), slabs: slabs.map(packSlab) };
}

function csvOf(all: readonly Column[], slabs: readonly Slab[]): ResultRows['csv'] {
  return UTF8.encode(slabs.map((slab) => csvRows(all, slab)).join(''));
}

function slabsOf(reading: ResultReading, record: ItemRecord): readonly Slab[] {
  switch (reading.kind) {
    case 'molecule':
      return moleculeSlabs(reading, record);
    case 'sequence':
      return residueSlabs(reading, record);
    case 'alignment':
      return alignmentSlabs(reading, record);
    case 'shifts':
      return shiftsSlabs(reading, record);
  }
}

function byKind<T>(of: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Kind, T>;
}
