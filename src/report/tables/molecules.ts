/** `molecules`: one row per molecule. */
import type { EstimatedParameter, MoleculeReading } from '../../results/reading.ts';
import { dipoleMoment, molecularMass } from '../../results/measures/molecule.ts';
import { rotatableBonds } from '../../results/measures/rotatable-bonds.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { columns, type Slab } from './column.ts';
import { engineVersion } from './engine-version.ts';

export const MOLECULE_COLUMNS = [
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

export function moleculeSlabs(reading: MoleculeReading, record: ItemRecord): readonly Slab[] {
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
