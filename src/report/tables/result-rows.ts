/** The rows of one result in the table of its kind, ready for both of the table's files. */
import { KINDS, type Kind } from '../../domain/item.ts';
import {
  type ResultReading,
  SPREAD_KEYS,
  type AlignmentReading,
  type EstimatedParameter,
  type MoleculeReading,
  type ProteinReading,
  type SequenceReading,
  type Track,
  type ChainReading,
  type ShiftsReading,
} from '../../kinds/reading.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { ownCells } from '../own-columns.ts';
import { columns, type Column, type Slab, type Cell, asInteger } from './column.ts';
import { csvRows } from './csv-rows.ts';
import { conservationOf } from '../../results/measures/alignment.ts';
import {
  ALIGNMENT_KEYS,
  TRACK_KEYS,
  backboneClass,
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  PHASE_SEPARATION_FROM,
  SHIFTS_MISSING,
} from '../../kinds/protein/reading-aids.ts';
import { engineVersion } from './engine-version.ts';
import { dipoleMoment, molecularMass } from '../../results/measures/molecule.ts';
import { rotatableBonds } from '../../results/measures/rotatable-bonds.ts';
import { aggregationRegions } from '../../results/measures/sequence.ts';

/** `shifts`: one row per residue of a shift file. */
const SHIFTS_COLUMNS = [
  ...columns('text', 'id', 'chain'),
  ...columns('integer', 'residue_index', 'residue_number'),
  ...columns('text', 'residue'),
  ...columns('number', 'shiftCrypt'),
  ...columns('boolean', 'missing'),
  ...columns('text', 'engine', 'engine_version'),
];

function shiftsSlabs({ chains }: ShiftsReading, record: ItemRecord): readonly Slab[] {
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

/** `residues`: one row per residue of a sequence, with the values of all predictors. */
const RESIDUE_COLUMNS: readonly Column[] = [
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

function residueSlabs({ proteins }: SequenceReading, record: ItemRecord): readonly Slab[] {
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

/** `molecules`: one row per molecule. */
const MOLECULE_COLUMNS = [
  ...columns('text', 'id', 'name', 'formula'),
  ...columns('integer', 'net_charge'),
  ...columns('text', 'charge_method', 'force_field'),
  ...columns('integer', 'atoms', 'atom_type_count'),
  ...columns('text', 'atom_types'),
  ...columns('number', 'total_charge'),
  ...columns('integer', 'estimated_parameters', 'penalised_parameters'),
  ...columns('number', 'penalty_sum', 'penalty_max'),
  ...columns('integer', 'attn_flags'),
  ...columns('text', 'engine', 'engine_version'),
  ...columns('number', 'molecular_mass', 'dipole_moment'),
  ...columns('integer', 'rotatable_bonds'),
];

function moleculeSlabs(reading: MoleculeReading, record: ItemRecord): readonly Slab[] {
  const { name, formula, charge, atoms, estimated } = reading;
  const options = record.options.kind === 'molecule' ? record.options : null;
  const types = [...new Set(atoms.map(({ type }) => type))].sort();
  const cells = [
    ...[record.id, name, formula],
    // Given by the user, or determined by the engine.
    options?.netCharge ?? (Math.round(charge) || 0),
    ...[options?.chargeMethod ?? null, options?.atomType ?? null],
    ...[atoms.length, types.length, types.join(' ')],
    charge,
    ...penalties(estimated),
    estimated.filter(({ needsRevision }) => needsRevision).length,
    record.engine ?? null,
    engineVersion(record),
    ...[withoutDust(molecularMass(atoms)), withoutDust(dipoleMoment(atoms))],
    rotatableBonds(reading),
  ];
  return [{ rows: 1, cells }];
}

function penalties(estimated: readonly EstimatedParameter[]): readonly (number | null)[] {
  const scores = estimated.flatMap(({ penalty }) => penalty ?? []);
  const sum = scores.reduce((total, score) => total + score, 0);
  return [
    estimated.length,
    scores.filter((score) => score > 0).length,
    withoutDust(sum),
    scores.length === 0 ? null : Math.max(...scores),
  ];
}

/** Files have a few decimals; adding binary fractions leaves rounding errors. */
function withoutDust<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1e6) / 1e6) as T;
}

/** Named as in the service's own CSV file: `backbone_median`. */
const ALIGNMENT_COLUMNS: readonly Column[] = [
  ...columns('text', 'id'),
  ...columns('integer', 'column_index', 'column_number', 'sequences', 'gaps'),
  ...ALIGNMENT_KEYS.flatMap((key) =>
    columns('number', ...SPREAD_KEYS.map((name) => `${key}_${name}`)),
  ),
  ...columns('text', 'engine', 'engine_version'),
  ...columns('number', 'conservation'),
];

function alignmentSlabs(reading: AlignmentReading, record: ItemRecord): readonly Slab[] {
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
  readonly csv: Buffer;
  readonly slabs: readonly Slab[];
}

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
  return rowsFrom(tableColumns(kind, own), slabs);
}

export function rowsFrom(all: readonly Column[], slabs: readonly Slab[]): ResultRows {
  return { csv: Buffer.from(slabs.map((slab) => csvRows(all, slab)).join('')), slabs };
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
