/**
 * A result file set of the right form (contract of the molecule service, 2.5): the 19 keys, the `.top` including the
 * `.itp` by its native name, the atoms and bonds of the input in every file that lists them, and its net charge. The
 * positions are those of the input, or of a drawing of the SMILES; all other numbers are meaningless.
 */
import rdkit from '@rdkit/rdkit';
import { chooseMoleculeName } from './acpype.ts';
import { raiseWedges, readStructure, type Structure } from './coordinates.ts';
import type { MoleculeJob } from './engine.ts';

/** Part of every payload. */
export const SYNTHETIC = 'SYNTHETIC: shape only, made without any computation; not a result';

/** FNV-1a over the text, then one value in [0, 1) per position, rounded to three digits. */
export function generateValues(seed: string, count: number): number[] {
  let hash = 0x811c9dc5;
  for (let n = 0; n < seed.length; n += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(n), 0x01000193);
  }
  return Array.from({ length: count }, (_, n) => {
    const mixed = Math.imul(hash ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
    return Math.floor((mixed / 4_294_967_296) * 1000) / 1000;
  });
}

interface Atom {
  readonly name: string;
  readonly element: string;
  readonly type: string;
  readonly mass: number;
  readonly charge: number;
  /** Å */
  readonly at: readonly [number, number, number];
}

type Term = readonly number[];

interface Molecule {
  readonly name: string;
  readonly atoms: readonly Atom[];
  readonly bonds: readonly Term[];
  readonly angles: readonly Term[];
  readonly dihedrals: readonly Term[];
}

/** Of the elements that have parameters; others are like carbon. */
const ELEMENTS = new Map(
  'H:hc:1.008:1 C:c3:12.01:6 N:n3:14.01:7 O:os:16:8 F:f:19:9 P:p5:30.97:15 S:s6:32.06:16 Cl:cl:35.45:17 Br:br:79.9:35 I:i:126.9:53'
    .split(' ')
    .map((row) => row.split(':'))
    .map(([symbol = '', type = '', mass, protons]) => {
      return [symbol, { type, mass: Number(mass), protons: Number(protons) }];
    }),
);
const CARBON = { type: 'c3', mass: 12.01, protons: 6 };

let loading: ReturnType<typeof rdkit.default> | undefined;

/** Null if RDKit cannot read it. */
async function drawSmiles(smiles: string): Promise<Structure | null> {
  const toolkit = await (loading ??= rdkit.default());
  const molecule = toolkit.get_mol(smiles);
  if (molecule === null) return null;
  try {
    molecule.add_hs_in_place();
    molecule.set_new_coords();
    return raiseWedges(molecule.get_molblock());
  } finally {
    molecule.delete();
  }
}

/** Null if the input cannot be read. */
export async function makeSyntheticMolecule(
  job: MoleculeJob,
): Promise<Record<string, string> | null> {
  const { smiles, inputFile, fileName, netCharge } = job;
  const structure =
    smiles === null ? readStructure(fileName, inputFile ?? '') : await drawSmiles(smiles.trim());
  if (!structure || structure.elements.length === 0) return null;
  const charge = netCharge ?? structure.charge ?? chargeByElectrons(structure.elements);
  return writeFiles(buildMolecule(chooseMoleculeName(job), structure, charge));
}

/** Of a format without charges: the one next to zero with which all electrons are paired. */
function chargeByElectrons(elements: readonly string[]): number {
  const protons = elements.reduce((sum, one) => sum + (ELEMENTS.get(one) ?? CARBON).protons, 0);
  return protons % 2 === 0 ? 0 : elements.includes('N') ? 1 : -1;
}

function buildMolecule(name: string, structure: Structure, charge: number): Molecule {
  const { elements, places } = structure;
  const counts = new Map<string, number>();
  // Six decimals, as in the files; the last atom makes the sum exact.
  const share = Number((charge / elements.length).toFixed(6));
  const atoms = elements.map((element, index): Atom => {
    const number = (counts.get(element) ?? 0) + 1;
    counts.set(element, number);
    const { type, mass } = ELEMENTS.get(element) ?? CARBON;
    const isLast = index === elements.length - 1;
    const own = isLast ? charge - share * index : share;
    return {
      name: `${element}${String(number)}`,
      element,
      type,
      mass,
      charge: own,
      at: places[index] ?? [0, 0, 0],
    };
  });
  const bonds = structure.bonds
    .filter(([one, other]) => atoms[one] && atoms[other])
    .map(([one, other]) => [one, other]);
  const around = atoms.map((_, atom) =>
    bonds.filter((bond) => bond.includes(atom)).map(([one = 0, other = 0]) => one + other - atom),
  );
  const longer = (terms: readonly Term[]): Term[] =>
    terms.flatMap((term) =>
      (around[term.at(-1) ?? 0] ?? [])
        .filter((next) => !term.includes(next))
        .map((next) => [...term, next]),
    );
  const angles = longer(bonds.flatMap((bond) => [bond, bond.toReversed()]));
  // Each was found from both of its ends.
  const once = (terms: readonly Term[]): Term[] =>
    terms.filter((term) => (term[0] ?? 0) < (term.at(-1) ?? 0));
  return { name, atoms, bonds, angles: once(angles), dihedrals: once(longer(angles)) };
}

function writeFiles(molecule: Molecule): Record<string, string> {
  const { name, atoms } = molecule;
  const remark = (mark: string, file: string): string => `${mark} ${name}_${file} ${SYNTHETIC}\n`;
  const count = String(atoms.length).padStart(6);
  const inpcrd = atoms.map(({ at }) => at.map((value) => value.toFixed(7).padStart(12)).join(''));
  const rtf = atoms.map((atom) => `ATOM ${atom.name} ${atom.type} ${atom.charge.toFixed(6)}`);
  return {
    em_mdp: `${remark(';', 'em.mdp')}integrator = steep\nnsteps = 500\n`,
    md_mdp: `${remark(';', 'md.mdp')}integrator = md\nnsteps = 10000\n`,
    AC_frcmod: `${SYNTHETIC}\nMASS\n\nBOND\n\nANGLE\n\nDIHE\n\nIMPROPER\n\nNONBON\n\n`,
    AC_inpcrd: `${SYNTHETIC}\n${count}\n${inpcrd.join('').replace(/.{1,72}/g, '$&\n')}`,
    AC_lib: remark('!!', 'AC.lib'),
    AC_prmtop: writePrmtop(molecule),
    mol2: writeMol2(molecule),
    CHARMM_inp: `${remark('*', 'CHARMM.inp')}Read rtf card name ${name}_CHARMM.rtf\n`,
    CHARMM_prm: remark('*', 'CHARMM.prm'),
    CHARMM_rtf: `${remark('*', 'CHARMM.rtf')}${rtf.join('\n')}\n`,
    CNS_inp: `${remark('Remarks', 'CNS.inp')}topology\n  @${name}_CNS.top\nend\nparameters\n  @${name}_CNS.par\nend\n`,
    CNS_par: remark('Remarks', 'CNS.par'),
    CNS_top: remark('Remarks', 'CNS.top'),
    GMX_OPLS_itp: writeItp(molecule, 'GMX_OPLS.itp'),
    GMX_OPLS_top: writeTop(name, 'GMX_OPLS.top', '#include "ffoplsaa.itp"'),
    GMX_gro: writeGro(molecule),
    GMX_itp: writeItp(molecule, 'GMX.itp'),
    GMX_top: writeTop(name, 'GMX.top', '[ defaults ]\n1 2 yes 0.5 0.8333333333'),
    NEW_pdb: writePdb(molecule),
  };
}

/** How values of a section are written (https://ambermd.org/FileFormats.php): the format, values a line, and one value. */
const AMBER_FORMATS = {
  a: ['20a4', 20, (value: string | number) => String(value).padEnd(4)],
  I: ['10I8', 10, (value: string | number) => String(value).padStart(8)],
  E: ['5E16.8', 5, (value: string | number) => writeReal(Number(value)).padStart(16)],
} as const;

/** `1.50000000E+00` */
function writeReal(value: number): string {
  const [digits = '', power = ''] = value.toExponential(8).split('e');
  return `${digits}E${power.charAt(0)}${power.slice(1).padStart(2, '0')}`;
}

/** AMBER's topology with atoms of one type and their bonds: without angles and dihedral angles, and without any meaning. */
function writePrmtop({ name, atoms, bonds }: Molecule): string {
  const hasHydrogen = (bond: Term): boolean => bond.some((atom) => atoms[atom]?.element === 'H');
  const listed = (withHydrogen: boolean) =>
    bonds
      .filter((bond) => hasHydrogen(bond) === withHydrogen)
      .flatMap(([one = 0, other = 0]) => [3 * one, 3 * other, 1]);
  const excluded = atoms.map((_, atom) => {
    const later = bonds.flatMap((bond) => bond.filter((one) => one > atom && bond.includes(atom)));
    return later.length === 0 ? [0] : later.map((one) => one + 1);
  });
  const [withH, without] = [listed(true), listed(false)];
  const zeros = atoms.map(() => 0);
  const counts = [atoms.length, 1, withH.length / 3, without.length / 3, ...[0, 0, 0, 0, 0, 0]];
  const rest = [without.length / 3, 0, 0, 1, 0, 0, 1, ...Array.from({ length: 9 }, () => 0)];
  const pointers = [...counts, excluded.flat().length, 1, ...rest, atoms.length, 0, 0];
  const sections: Section[] = [
    ['TITLE', 'a', [name]],
    ['POINTERS', 'I', pointers],
    ['ATOM_NAME', 'a', atoms.map((atom) => atom.name)],
    ['CHARGE', 'E', atoms.map(({ charge }) => charge * 18.2223)],
    ['ATOMIC_NUMBER', 'I', atoms.map(({ element }) => (ELEMENTS.get(element) ?? CARBON).protons)],
    ['MASS', 'E', atoms.map(({ mass }) => mass)],
    ['ATOM_TYPE_INDEX', 'I', atoms.map(() => 1)],
    ['NUMBER_EXCLUDED_ATOMS', 'I', excluded.map(({ length }) => length)],
    ['NONBONDED_PARM_INDEX', 'I', [1]],
    ['RESIDUE_LABEL', 'a', ['UNL']],
    ['RESIDUE_POINTER', 'I', [1]],
    ['BOND_FORCE_CONSTANT', 'E', [300]],
    ['BOND_EQUIL_VALUE', 'E', [1.5]],
    ['LENNARD_JONES_ACOEF', 'E', [1_000_000]],
    ['LENNARD_JONES_BCOEF', 'E', [600]],
    ['BONDS_INC_HYDROGEN', 'I', withH],
    ['BONDS_WITHOUT_HYDROGEN', 'I', without],
    ['EXCLUDED_ATOMS_LIST', 'I', excluded.flat()],
    ['AMBER_ATOM_TYPE', 'a', atoms.map(({ type }) => type)],
    ['JOIN_ARRAY', 'I', zeros],
    ['RADII', 'E', atoms.map(() => 1.5)],
    ['SCREEN', 'E', atoms.map(() => 0.8)],
  ];
  for (const flag of AMBER_EMPTY) sections.push([flag, 'I', []]);
  return `%VERSION ${SYNTHETIC}\n${sections.map(writeSection).join('')}`;
}

type Section = readonly [
  flag: string,
  format: keyof typeof AMBER_FORMATS,
  values: readonly (string | number)[],
];

function writeSection([flag, format, values]: Section): string {
  const [letters, perLine, write] = AMBER_FORMATS[format];
  const lines = Array.from({ length: Math.ceil(values.length / perLine) || 1 }, (_, line) =>
    values
      .slice(line * perLine, (line + 1) * perLine)
      .map(write)
      .join(''),
  );
  return `%FLAG ${flag}\n%FORMAT(${letters})\n${lines.join('\n')}\n`;
}

/** Sections without a value, which readers expect. */
const AMBER_EMPTY = [
  ...['ANGLE_FORCE_CONSTANT', 'ANGLE_EQUIL_VALUE', 'ANGLES_INC_HYDROGEN'],
  ...['ANGLES_WITHOUT_HYDROGEN', 'DIHEDRAL_FORCE_CONSTANT', 'DIHEDRAL_PERIODICITY'],
  ...['DIHEDRAL_PHASE', 'DIHEDRALS_INC_HYDROGEN', 'DIHEDRALS_WITHOUT_HYDROGEN'],
  ...['HBOND_ACOEF', 'HBOND_BCOEF'],
];

function writeTop(name: string, file: string, head: string): string {
  return `; ${name}_${file} ${SYNTHETIC}

${head}

; Include ${name}_GMX.itp topology
#include "${name}_GMX.itp"

; Ligand position restraints
#ifdef POSRES_LIG
#include "posre_${name}.itp"
#endif

[ system ]
 ${name}

[ molecules ]
 ${name}          1
`;
}

function writeItp({ name, atoms, bonds, angles, dihedrals }: Molecule, file: string): string {
  const types = [...new Set(atoms.map(({ type }) => type))];
  const rows = (terms: readonly Term[], parameters: string): string =>
    terms.map((term) => ` ${term.map((atom) => atom + 1).join(' ')} ${parameters}`).join('\n');
  const listed = atoms.map(
    ({ name: atom, type, charge, mass }, n) =>
      `${String(n + 1).padStart(6)} ${type.padStart(4)}     1   UNL ${atom.padStart(5)} ${String(n + 1).padStart(4)}   ${charge.toFixed(6)}   ${mass.toFixed(5)}`,
  );
  const ends = dihedrals.map((term) => [term[0] ?? 0, term[3] ?? 0]);
  return `; ${name}_${file} ${SYNTHETIC}

[ atomtypes ]
${types.map((type) => ` ${type} ${type} 0.00000 0.00000 A 3.0e-01 4.0e-01`).join('\n')}

[ moleculetype ]
 ${name}              3

[ atoms ]
${listed.join('\n')}

[ bonds ]
${rows(bonds, '1 1.5000e-01 2.5000e+05')}

[ pairs ]
${rows(ends, '1')}

[ angles ]
${rows(angles, '1 1.1500e+02 4.0000e+02')}

[ dihedrals ]
${rows(dihedrals, '9 0.00 0.65000 3')}
`;
}

function writeGro({ name, atoms }: Molecule): string {
  const rows = atoms.map(({ name: atom, at }, n) => {
    const place = at.map((value) => (value / 10).toFixed(3).padStart(8)).join('');
    return `    1UNL  ${atom.padStart(5)}${String(n + 1).padStart(5)}${place}`;
  });
  return `${name}_GMX.gro ${SYNTHETIC}\n${String(atoms.length)}\n${rows.join('\n')}\n   5.00000   5.00000   5.00000\n`;
}

function writePdb({ name, atoms }: Molecule): string {
  const rows = atoms.map(({ name: atom, element, at }, n) => {
    const place = at.map((value) => value.toFixed(3).padStart(8)).join('');
    return `ATOM  ${String(n + 1).padStart(5)} ${atom.padStart(4)} UNL A   1    ${place}  1.00  0.00          ${element.padStart(2)}`;
  });
  return `REMARK ${name}_NEW.pdb ${SYNTHETIC}\n${rows.join('\n')}\nEND\n`;
}

function writeMol2({ name, atoms, bonds }: Molecule): string {
  const rows = atoms.map(({ name: atom, type, charge, at }, n) => {
    const place = at.map((value) => value.toFixed(4).padStart(10)).join(' ');
    return `${String(n + 1).padStart(7)} ${atom.padEnd(6)} ${place} ${type} 1 UNL ${charge.toFixed(6)}`;
  });
  const pairs = bonds.map(
    ([one = 0, other = 0], n) => `${String(n + 1)} ${String(one + 1)} ${String(other + 1)} 1`,
  );
  return `# ${SYNTHETIC}
@<TRIPOS>MOLECULE
${name}
${String(atoms.length)} ${String(bonds.length)} 1 0 0
SMALL
USER_CHARGES

@<TRIPOS>ATOM
${rows.join('\n')}
@<TRIPOS>BOND
${pairs.join('\n')}
@<TRIPOS>SUBSTRUCTURE
     1 UNL         1
`;
}
