/** The result of a molecule, read from its files: what the report, the tables and the exports show, and its measures. */
import { deriveBondOrders } from './bonding.ts';
import { inferElement, computeHillFormula } from './element.ts';
import { readTopology, sumCharges, readResultPdb } from './formats.ts';
import type { EstimatedParameter, MoleculeReading, AtomReading } from './reading.ts';
import { type Cells, type Measure, type ResultTable, type Series, defineColumns } from '../kind.ts';
import type { MoleculeOptions } from '../vocabulary.ts';

/** Texts of the files, by file name ending. */
export interface MoleculeTexts {
  /** `X_GMX.itp` */
  readonly itp: string;
  /** `X_NEW.pdb`: in ångström and with three decimals, while `X_GMX.gro` has nanometres with three. */
  readonly pdb: string;
  /** `X_AC.frcmod` */
  readonly frcmod: string;
}

export function readMolecule({ itp, pdb, frcmod }: MoleculeTexts): MoleculeReading | null {
  const topology = readTopology(itp);
  const placed = readResultPdb(pdb).atoms;
  if (topology === null || placed.length !== topology.atoms.length) return null;
  const atoms = topology.atoms.map((atom, index) => {
    const { symbol = '', place: position = [0, 0, 0] as const } = placed[index] ?? {};
    return { ...atom, element: inferElement(atom.mass, symbol, atom.name), position };
  });
  return {
    kind: 'molecule',
    name: topology.name,
    formula: computeHillFormula(atoms.map(({ element }) => element)),
    charge: sumCharges(atoms),
    atoms,
    bonds: topology.bonds,
    bonding: deriveBondOrders({ atoms, bonds: topology.bonds }),
    estimated: readFrcmod(frcmod),
  };
}

/** By heading: what the lines are about, and the columns of the atom types: two each, and the dashes between them. */
const SECTIONS: Readonly<Record<string, { term: EstimatedParameter['term']; width: number }>> = {
  MASS: { term: 'mass', width: 2 },
  BOND: { term: 'bond', width: 5 },
  ANGLE: { term: 'angle', width: 8 },
  DIHE: { term: 'dihedral', width: 11 },
  IMPROPER: { term: 'improper', width: 11 },
  NONBON: { term: 'nonbonded', width: 2 },
};

/**
 * The parameters that a molecule needs and its force field lacks, as written by parmchk2 to `X_AC.frcmod` (AmberTools
 * manual, "parmchk2"). Each line states the source of its numbers, in one of several forms:
 *
 *   same as c3-c -n -c3, penalty score=  0.0
 *   Same as X -X -ca-ha, penalty score= 67.5 (use general term))
 *   Using general improper torsional angle  X- X-ca-ha, penalty score=  6.0)
 *   Using the default value
 *   Calculated with empirical approach for cd-cd-n1
 *   ATTN, need revision
 *
 * In file order. A dihedral that is a sum of several terms, one line each, is one parameter.
 */
export function readFrcmod(text: string): readonly EstimatedParameter[] {
  const found: EstimatedParameter[] = [];
  let section: (typeof SECTIONS)[string] | undefined;
  // The first line is a title.
  for (const line of text.split(/\r?\n/).slice(1)) {
    const row = line.trim();
    const heading = SECTIONS[row];
    section = heading ?? section;
    if (heading !== undefined || section === undefined || row === '') continue;
    const { term, width } = section;
    const types = row.slice(0, width).replace(/\s/g, '');
    const rest = row.slice(width);
    const last = found.at(-1);
    const isSame = term === 'dihedral' && last?.term === term && last.types === types;
    const penalty = /penalty score=\s*(\d+(?:\.\d*)?)/i.exec(rest)?.[1];
    const remark = parseRemark(rest);
    // Only the last term of a sum has the penalty.
    found.splice(isSame ? -1 : found.length, 1, {
      term,
      types,
      penalty: penalty !== undefined ? Number(penalty) : ((isSame ? last.penalty : null) ?? null),
      needsRevision: /ATTN,?\s+need revision/i.test(rest) || (isSame && last.needsRevision),
      remark: remark || (isSame ? last.remark : ''),
    });
  }
  return found;
}

/** The text after the numbers, without the penalty. */
function parseRemark(rest: string): string {
  const words = rest
    .replace(/^(?:\s+[-+]?[\d.]+)*/, '')
    .replace(/,?\s*penalty score=\s*[\d.]+/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  // parmchk2 closes one more bracket than it opens.
  const isOpen = words.split('(').length >= words.split(')').length;
  return isOpen ? words : words.replace(/\s*\)$/, '');
}

export const MOLECULE_MEASURES = {
  atoms: {
    title: 'Atoms',
    unit: '',
    meaning: 'Number of atoms, with hydrogens.',
    decimals: 0,
    isMain: true,
    of: ({ atoms }) => atoms.length,
  },
  mass: {
    title: 'Mass',
    unit: 'Da',
    meaning: 'Sum of the masses of the topology.',
    decimals: 2,
    column: 'molecular_mass',
    isMain: true,
    of: ({ atoms }) => sumMasses(atoms),
  },
  charge: {
    title: 'Charge',
    unit: 'e',
    meaning: 'Sum of the partial charges of the topology.',
    decimals: 3,
    column: 'total_charge',
    isMain: false,
    of: ({ charge }) => charge,
  },
  penaltyMax: {
    title: 'Largest penalty',
    unit: '',
    meaning:
      'Largest penalty score of a parameter that was estimated: 0 fits, above 10 deserves a look, above 50 is not to be trusted. 0 where every parameter is in the force field.',
    decimals: 1,
    column: 'penalty_max',
    isMain: true,
    verdicts: [
      { above: 50, sign: 'bad', words: 'do not trust' },
      { above: 10, sign: 'fair', words: 'look' },
      { above: 0, sign: 'good', words: 'close' },
      { above: -1, sign: 'good', words: 'fits' },
    ],
    of: findMaxPenalty,
  },
  penaltySum: {
    title: 'Summed penalty',
    unit: '',
    meaning: 'Sum of the penalty scores of the parameters that were estimated.',
    decimals: 1,
    column: 'penalty_sum',
    isMain: false,
    of: ({ estimated }) => sum(listPenalties(estimated)),
  },
  attn: {
    title: 'ATTN',
    unit: '',
    meaning: 'Parameters marked “ATTN, need revision”.',
    decimals: 0,
    column: 'attn_flags',
    isMain: false,
    of: ({ estimated }) => estimated.filter(({ needsRevision }) => needsRevision).length,
  },
  dipole: {
    title: 'Dipole',
    unit: 'D',
    meaning:
      'Dipole moment of the partial charges at the places that the engine wrote; of an ion, about its centre of mass.',
    decimals: 2,
    column: 'dipole_moment',
    isMain: true,
    of: ({ atoms }) => computeDipoleMoment(atoms),
  },
} as const satisfies Readonly<Record<string, Measure<MoleculeReading>>>;

export const MOLECULE_SERIES = {
  types: {
    title: 'Atom types, bonds',
    tolerance: 0,
    of: ({ atoms, bonds }) => [
      ...atoms.map(({ type }) => type),
      ...bonds.map((pair) => pair.toSorted((a, b) => a - b).join(' ')).sort(),
    ],
  },
  penalties: {
    title: 'Penalties and ATTN',
    tolerance: 0.1,
    of: (reading) => [sum(listPenalties(reading.estimated)), MOLECULE_MEASURES.attn.of(reading)],
  },
  charges: {
    title: 'Partial charges',
    tolerance: (reading) => (isFlexible(reading) ? null : 0.01),
    of: ({ atoms }) => atoms.map((atom) => atom.charge),
  },
} as const satisfies Readonly<Record<string, Series<MoleculeReading>>>;

/**
 * A bond that is no ring's joins two parts of at least two heavy atoms each. AM1-BCC charges depend on the conformation,
 * which Open Babel's search starts at random: those of a flexible molecule differ each time.
 */
export function isFlexible({ atoms, bonds }: Pick<MoleculeReading, 'atoms' | 'bonds'>): boolean {
  const heavy = bonds.filter((bond) => bond.every((atom) => atoms[atom]?.element !== 'H'));
  return heavy.some(([from, to], cut) => {
    const others = heavy.filter((_, place) => place !== cut);
    const [here, there] = [findReached(from, others), findReached(to, others)];
    return !here.has(to) && here.size > 1 && there.size > 1;
  });
}

function findReached(start: number, bonds: MoleculeReading['bonds']): ReadonlySet<number> {
  const reached = new Set([start]);
  for (const atom of reached)
    for (const bond of bonds) if (bond.includes(atom)) for (const one of bond) reached.add(one);
  return reached;
}

/** One row per molecule. */
export const MOLECULES_TABLE: ResultTable<MoleculeOptions, MoleculeReading> = {
  name: 'molecules',
  words: 'molecules',
  isByItem: true,
  columns: {
    ...defineColumns('text', 'name', 'formula'),
    ...defineColumns('integer', 'net_charge'),
    ...defineColumns('text', 'charge_method', 'force_field'),
    ...defineColumns('integer', 'atoms', 'atom_type_count'),
    ...defineColumns('text', 'atom_types'),
    ...defineColumns('number', 'total_charge'),
    ...defineColumns('integer', 'estimated_parameters', 'penalised_parameters'),
    ...defineColumns('number', 'penalty_sum', 'penalty_max'),
    ...defineColumns('integer', 'attn_flags'),
    ...defineColumns('number', 'molecular_mass', 'dipole_moment'),
  },
  rows(reading, { options }): readonly Cells[] {
    const { name, formula, charge, atoms, estimated } = reading;
    const types = [...new Set(atoms.map(({ type }) => type))].sort();
    const penalties = listPenalties(estimated);
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
        estimated_parameters: estimated.length,
        penalised_parameters: penalties.filter((penalty) => penalty > 0).length,
        penalty_sum: roundDust(sum(penalties)),
        penalty_max: MOLECULE_MEASURES.penaltyMax.of(reading),
        attn_flags: MOLECULE_MEASURES.attn.of(reading),
        molecular_mass: roundDust(sumMasses(atoms)),
        dipole_moment: roundDust(computeDipoleMoment(atoms)),
      },
    ];
  },
};

/** Files have a few decimals; adding binary fractions leaves rounding errors. */
function roundDust<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1e6) / 1e6) as T;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function findMaxPenalty({ estimated }: MoleculeReading): number | null {
  const penalties = listPenalties(estimated);
  return penalties.length > 0 ? Math.max(...penalties) : estimated.length === 0 ? 0 : null;
}

function listPenalties(estimated: MoleculeReading['estimated']): number[] {
  return estimated.flatMap(({ penalty }) => penalty ?? []);
}

/** Atomic mass units. */
function sumMasses(atoms: readonly Pick<AtomReading, 'mass'>[]): number {
  return sum(atoms.map(({ mass }) => mass));
}

/** One elementary charge times one ångström, in debye (CODATA 2018). */
const DEBYE = 4.803_204_7;

/** In debye. For an ion it depends on the origin, which is the centre of mass. Null if the topology has no masses. */
export function computeDipoleMoment(
  atoms: readonly Pick<AtomReading, 'mass' | 'charge' | 'position'>[],
): number | null {
  const total = sumMasses(atoms);
  if (!(total > 0)) return null;
  const along = [0, 1, 2].map((axis) => {
    const at = (atom: Pick<AtomReading, 'position'>): number => atom.position[axis] ?? 0;
    const centre = sum(atoms.map((atom) => atom.mass * at(atom))) / total;
    return sum(atoms.map((atom) => atom.charge * (at(atom) - centre)));
  });
  return Math.hypot(...along) * DEBYE;
}
