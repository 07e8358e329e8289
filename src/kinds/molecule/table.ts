/** `molecules`: the table with one row per molecule. */
import { dipoleMoment, molecularMass } from './measures.ts';
import { rotatableBonds } from './rotatable-bonds.ts';
import type { EstimatedParameter, MoleculeReading } from '../reading.ts';
import { type Cells, type ResultTable, tableColumns } from '../kind.ts';
import type { MoleculeOptions } from '../vocabulary.ts';

export const MOLECULES_TABLE: ResultTable<MoleculeOptions, MoleculeReading> = {
  name: 'molecules',
  words: 'molecules',
  isByItem: true,
  columns: {
    ...tableColumns('text', 'name', 'formula'),
    ...tableColumns('integer', 'net_charge'),
    ...tableColumns('text', 'charge_method', 'force_field'),
    ...tableColumns('integer', 'atoms', 'atom_type_count'),
    ...tableColumns('text', 'atom_types'),
    ...tableColumns('number', 'total_charge'),
    ...tableColumns('integer', 'estimated_parameters', 'penalised_parameters'),
    ...tableColumns('number', 'penalty_sum', 'penalty_max'),
    ...tableColumns('integer', 'attn_flags'),
    ...tableColumns('number', 'molecular_mass', 'dipole_moment'),
    ...tableColumns('integer', 'rotatable_bonds'),
  },
  rows(reading, { options }): readonly Cells[] {
    const { name, formula, charge, atoms, estimated } = reading;
    const types = [...new Set(atoms.map(({ type }) => type))].sort();
    return [
      {
        name,
        formula,
        // Given by the user, or determined by the engine.
        net_charge: options.netCharge ?? (Math.round(charge) || 0),
        charge_method: options.chargeMethod,
        force_field: options.atomType,
        atoms: atoms.length,
        atom_type_count: types.length,
        atom_types: types.join(' '),
        total_charge: charge,
        ...penaltyCells(estimated),
        attn_flags: estimated.filter(({ needsRevision }) => needsRevision).length,
        molecular_mass: withoutDust(molecularMass(atoms)),
        dipole_moment: withoutDust(dipoleMoment(atoms)),
        rotatable_bonds: rotatableBonds(reading),
      },
    ];
  },
};

function penaltyCells(estimated: readonly EstimatedParameter[]): Cells {
  const scores = estimated.flatMap(({ penalty }) => penalty ?? []);
  return {
    estimated_parameters: estimated.length,
    penalised_parameters: scores.filter((score) => score > 0).length,
    penalty_sum: withoutDust(scores.reduce((total, score) => total + score, 0)),
    penalty_max: scores.length === 0 ? null : Math.max(...scores),
  };
}

/** Files have a few decimals; adding binary fractions leaves rounding errors. */
function withoutDust<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1e6) / 1e6) as T;
}
