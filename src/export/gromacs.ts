/** `gromacs`: a library of ligands that can be combined freely in one system. */
import { readTopology, type Topology } from '../kinds/molecule/formats.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import {
  type Added,
  formatCodeBlock,
  type Exporter,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  markSynthetic,
} from './format.ts';
import { TEMPLATES } from './gromacs-templates.ts';
import { readLigand } from './molecules.ts';

const ITP = '_GMX.itp';
const GRO = '_GMX.gro';

export const gromacs: ExportFormat = {
  name: 'gromacs',
  kinds: ['molecule'],
  content: 'a ligand library: atomtypes.itp, an .itp, posre and .gro each, topologies, .mdp',
  loadedBy: 'GROMACS',
  files: [ITP, GRO],
  next: (id) =>
    formatCodeBlock('sh', [
      `sed 's/LIGAND/${id}/g' ligand-in-water.top > topol.top`,
      `gmx editconf -f ligands/${id}.gro -o box.gro -bt dodecahedron -d 1.2`,
      'gmx solvate -cp box.gro -cs spc216.gro -p topol.top -o water.gro',
      'gmx grompp -f em.mdp -c water.gro -p topol.top -o em.tpr',
      'gmx mdrun -deffnm em',
      'gmx grompp -f nvt.mdp -c em.gro -r em.gro -p topol.top -o nvt.tpr',
      'gmx mdrun -deffnm nvt',
      'gmx grompp -f npt.mdp -c nvt.gro -r nvt.gro -p topol.top -o npt.tpr',
      'gmx mdrun -deffnm npt',
    ]),
  start: () => new GromacsLibrary(),
};

class GromacsLibrary implements Exporter {
  readonly #types = new AtomTypes();

  add(item: ExportItem): Added {
    const { id, files } = item;
    const reading = readLigand(item);
    const itp = files[ITP] ?? '';
    const topology = readTopology(itp);
    const start = itp.search(/^\[ moleculetype \]/m);
    const types = itp.slice(0, start).split('\n').flatMap(readType);
    if (topology === null || types.length === 0)
      throw new LeftOut('RESULT_UNREADABLE', 'its _GMX.itp is not a topology of ACPYPE');
    const { newNames, renamed } = this.#types.add(types);
    const ligand = [
      ...markSynthetic(item, ';'),
      '; From ACPYPE; its atom types are in atomtypes.itp.',
      renameIn(itp.slice(start), id, newNames).trimEnd(),
      `\n#ifdef POSRES_LIG\n#include "posre_${id}.itp"\n#endif\n`,
    ];
    return {
      files: [
        { file: `ligands/${id}.itp`, text: ligand.join('\n') },
        { file: `ligands/posre_${id}.itp`, text: formatPositionRestraints(topology) },
        { file: `ligands/${id}.gro`, text: withBox(files[GRO] ?? '', reading) },
      ],
      notes: renamed,
    };
  }

  end() {
    return [{ file: 'atomtypes.itp', text: this.#types.text() }, ...TEMPLATES];
  }
}

/** nm, on each side of the ligand: more than the cut-off of the .mdp files. */
const MARGIN = 1.2;

/** ACPYPE computes its box in ångström and writes it as nanometres: too large in some directions, too small in others. */
function withBox(gro: string, { atoms }: Pick<MoleculeReading, 'atoms'>): string {
  const extents = [0, 1, 2].map((axis) => {
    const places = atoms.map(({ position }) => position[axis] ?? 0);
    // The reading has ångström.
    return (Math.max(...places) - Math.min(...places)) / 10;
  });
  const edge = (Math.max(...extents) + 2 * MARGIN).toFixed(5).padStart(10);
  return gro.trimEnd().replace(/[^\n]*$/, `${edge.repeat(3)}\n`);
}

/** kJ/(mol nm²), in each direction. */
const FORCE = 1000;
/** u: lighter atoms are hydrogens. */
const HEAVY_FROM = 2;

/** `posre_X.itp`, which is not among the service's files: restrains every heavy atom, as ACPYPE does. */
function formatPositionRestraints({ atoms }: Topology): string {
  const held = atoms.flatMap(({ mass }, index) => (mass < HEAVY_FROM ? [] : [index + 1]));
  return [
    '; Heavy atoms of the ligand, held with define = -DPOSRES_LIG.',
    '[ position_restraints ]',
    '; atom  type      fx      fy      fz',
    ...held.map((atom) => `${String(atom).padStart(6)}     1    ${FORCE}    ${FORCE}    ${FORCE}`),
    '',
  ].join('\n');
}

/** `c3  c3  0.00000  0.00000  A  3.39771e-01  4.51035e-01 ; 1.91  0.1078` */
function readType(line: string): AtomTypeLine[] {
  const [name = '', , ...parameters] = line.replace(/;.*/, '').trim().split(/\s+/);
  return parameters.length === 5 ? [{ name, parameters }] : [];
}

/**
 * The topology with the names of the library: of the molecule, and in `1   c3     1   UNL     C    1 …` of the types.
 * @throws Error if an atom has a type that the file does not define, which ACPYPE never writes
 */
function renameIn(topology: string, id: string, newNames: ReadonlyMap<string, string>): string {
  const named = topology.replace(/^(.*\n(?:;.*\n)*)\s*\S+/, `$1 ${id}`);
  return named.replace(/^\[ atoms \][^[]*/m, (section) =>
    section.replace(/^(\s*\d+\s+)(\S+)/gm, (_, number: string, type: string) => {
      const name = newNames.get(type);
      if (name === undefined) throw new Error(`no atom type ${type} in the file of the ligand`);
      return `${number}${name}`;
    }),
  );
}

/** One line of `[ atomtypes ]`. */
export interface AtomTypeLine {
  readonly name: string;
  /** Mass, charge, particle type, sigma in nm and epsilon in kJ/mol, as ACPYPE wrote them. */
  readonly parameters: readonly string[];
}

/** Appended to AMBER's own types, which the protein force fields define as well. */
const LIGAND_SUFFIX = '_lig';

/**
 * The atom types of a ligand library in one `[ atomtypes ]` (GROMACS manual, topology file formats): types
 * with equal parameters are one; a type that is already defined with other parameters gets another name. ACPYPE writes
 * every bonded parameter in full, so a type's name only stands for its Lennard-Jones parameters.
 *
 * Types are always renamed, even if the parameters are those of the protein force field: `grompp` warns about a second
 * definition, and stops on a warning. Rejected: a separate force field for the export (`.ff` folder), which cannot be
 * combined with that of a protein.
 */
export class AtomTypes {
  /** By their names in the library. */
  readonly #byName = new Map<string, AtomTypeLine>();
  /** Names in the library, by name and parameters in the ligand's file. */
  readonly #newNames = new Map<string, string>();

  /** Adds the types of a ligand. `renamed`: those that are new with it, one sentence each. */
  add(types: readonly AtomTypeLine[]): {
    readonly newNames: ReadonlyMap<string, string>;
    readonly renamed: readonly string[];
  } {
    const before = new Set(this.#byName.keys());
    const newNames = new Map(types.map((type) => [type.name, this.#nameFor(type)]));
    const renamed = [...newNames]
      .filter(([name, newName]) => name !== newName && !before.has(newName))
      .map(([name, newName]) => `the atom type ${name} of its file ${isRenamedTo(newName)}`);
    return { newNames, renamed };
  }

  /** `atomtypes.itp` */
  text(): string {
    const renamed = [...this.#byName].filter(([newName, { name }]) => newName !== name);
    return [
      '; All atom types of this ligand library. Include it once, before the first [ moleculetype ].',
      ...renamed.map(
        ([newName, { name }]) => `; ${name} of ACPYPE's files ${isRenamedTo(newName)}`,
      ),
      '[ atomtypes ]',
      '; name  bond_type  mass  charge  ptype  sigma  epsilon',
      ...[...this.#byName].map(([newName, { parameters }]) =>
        [newName.padEnd(10), newName.padEnd(10), ...parameters].join('  '),
      ),
      '',
    ].join('\n');
  }

  #nameFor(type: AtomTypeLine): string {
    // `3.39771e-01` and `0.339771` are equal.
    const numbers = type.parameters.map((text) => (text === 'A' ? text : Number(text)));
    const known = [type.name, ...numbers].join(' ');
    const given = this.#newNames.get(known);
    if (given !== undefined) return given;
    // GAFF's types are in lower case so that they never collide with AMBER's, which begin with a capital.
    const full = /^[^a-z]/.test(type.name) ? `${type.name}${LIGAND_SUFFIX}` : type.name;
    let name = full;
    for (let number = 2; this.#byName.has(name); number += 1) name = `${full}_${number}`;
    this.#byName.set(name, type);
    this.#newNames.set(known, name);
    return name;
  }
}

function isRenamedTo(newName: string): string {
  const why = newName.endsWith(LIGAND_SUFFIX)
    ? 'protein force fields have a type of that name'
    : 'another ligand has a type of that name with other parameters';
  return `is ${newName} here: ${why}`;
}
