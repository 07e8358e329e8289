/** `gromacs`: a library of ligands that can be combined freely in one system. */
import { hydrogensMissing } from '../kinds/molecule/bonding.ts';
import { readTopology, type Topology } from '../kinds/molecule/gromacs.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import {
  type Added,
  codeBlock,
  type Exporter,
  type ExportFormat,
  type ExportItem,
  isSynthetic,
  SYNTHETIC,
} from './format.ts';
import { DEFAULTS, TEMPLATES } from './gromacs-templates.ts';
import { leftOut } from './left-out.ts';

const ITP = '_GMX.itp';
const GRO = '_GMX.gro';
const TOP = '_GMX.top';

export const gromacs: ExportFormat = {
  name: 'gromacs',
  kinds: ['molecule'],
  content: 'a ligand library: atomtypes.itp, an .itp, posre and .gro each, topologies, .mdp',
  loadedBy: 'GROMACS',
  files: [ITP, GRO, TOP],
  takes: [],
  next: (id) =>
    codeBlock('sh', [
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
  /** Id of the first ligand for each name in ACPYPE's files. */
  readonly #names = new Map<string, string>();

  add(item: ExportItem): Added {
    const { id, files, reading } = item;
    const itp = readLigandItp(files[ITP] ?? '');
    const topology = readTopology(files[ITP] ?? '');
    if (itp === null || topology === null || reading?.kind !== 'molecule') {
      return leftOut('RESULT_UNREADABLE', { lack: 'no topology' });
    }
    const missing = hydrogensMissing(reading);
    if (missing !== null) return leftOut('HYDROGENS_MISSING', missing);
    if (!hasDefaults(files[TOP] ?? '')) return leftOut('DEFAULTS_DIFFER', {});
    const { types, renamed } = this.#types.add(itp.types);
    const mark = isSynthetic(item) ? `; ${SYNTHETIC}\n` : '';
    return {
      pieces: [
        { file: `ligands/${id}.itp`, text: mark + writeLigandItp(itp, id, types) },
        { file: `ligands/posre_${id}.itp`, text: positionRestraints(topology) },
        { file: `ligands/${id}.gro`, text: withBox(files[GRO] ?? '', reading) },
      ],
      notes: [...renamed, ...this.#sameName(itp.name, id)],
    };
  }

  end() {
    return [{ file: 'atomtypes.itp', text: this.#types.text() }, ...TEMPLATES];
  }

  #sameName(name: string, id: string): string[] {
    const first = this.#names.get(name);
    if (first === undefined) this.#names.set(name, id);
    return first === undefined
      ? []
      : [`ACPYPE's files call it ${name}, as those of ${first}; in the library it is ${id}`];
  }
}

function hasDefaults(top: string): boolean {
  const [, after = ''] = top.split(/\[\s*defaults\s*\]/);
  const line = after.split('\n').find((one) => /^\s*\d/.test(one)) ?? '';
  const values = line.replace(/;.*/, '').trim().split(/\s+/);
  return DEFAULTS.every(
    (value, index) => Number(values[index]) === Number(value) || values[index] === value,
  );
}

/** nm, on each side of the ligand: more than the cut-off of the .mdp files. */
const MARGIN = 1.2;

/** ACPYPE computes its box in ångström and writes it as nanometres: too large in some directions, too small in others. */
function withBox(gro: string, { atoms }: Pick<MoleculeReading, 'atoms'>): string {
  const lines = gro.trimEnd().split(/\r?\n/);
  const extents = [0, 1, 2].map((axis) => {
    const places = atoms.map(({ position }) => position[axis] ?? 0);
    // The reading has ångström.
    return (Math.max(...places) - Math.min(...places)) / 10;
  });
  const edge = (Math.max(...extents) + 2 * MARGIN).toFixed(5).padStart(10);
  return [...lines.slice(0, -1), edge.repeat(3), ''].join('\n');
}

/** kJ/(mol nm²), in each direction. */
const FORCE = 1000;
/** u: lighter atoms are hydrogens. */
const HEAVY_FROM = 2;

/** `posre_X.itp`, which is not among the service's files: restrains every heavy atom, as ACPYPE does. */
function positionRestraints({ atoms }: Topology): string {
  const held = atoms.flatMap(({ mass }, index) => (mass < HEAVY_FROM ? [] : [index + 1]));
  return [
    '; Heavy atoms of the ligand, held with define = -DPOSRES_LIG.',
    '[ position_restraints ]',
    '; atom  type      fx      fy      fz',
    ...held.map((atom) => `${String(atom).padStart(6)}     1    ${FORCE}    ${FORCE}    ${FORCE}`),
    '',
  ].join('\n');
}

/** The parts of the file that are rewritten; null if the text is not such a file. */
interface LigandItp {
  readonly types: readonly AtomTypeLine[];
  /** The molecule's name in ACPYPE's files. */
  readonly name: string;
  /** The lines from `[ moleculetype ]` on. */
  readonly lines: readonly string[];
}

const HEAD = /^\s*\[\s*(\w+)\s*\]/;

function readLigandItp(text: string): LigandItp | null {
  const all = text.split(/\r?\n/);
  const start = all.findIndex((line) => HEAD.exec(line)?.[1] === 'moleculetype');
  if (start === -1) return null;
  const types = all.slice(0, start).flatMap((line) => readType(line));
  const lines = all.slice(start);
  const name = lines
    .slice(1)
    .map(cells)
    .find((row) => row.length > 0)?.[0];
  return types.length === 0 || name === undefined ? null : { types, name, lines };
}

/** `c3  c3  0.00000  0.00000  A  3.39771e-01  4.51035e-01 ; 1.91  0.1078` */
function readType(line: string): AtomTypeLine[] {
  const [name, , ...parameters] = cells(line);
  return name === undefined || parameters.length !== 5 ? [] : [{ name, parameters }];
}

function cells(line: string): string[] {
  const text = line.replace(/;.*/, '').trim();
  return text === '' || text.startsWith('[') ? [] : text.split(/\s+/);
}

/**
 * The file of the library, which includes its position restraints.
 * @throws Error if an atom has a type that the file does not define, which ACPYPE never writes
 */
function writeLigandItp(
  { lines }: LigandItp,
  molecule: string,
  types: readonly NamedType[],
): string {
  const newNames = new Map(types.map(({ name, newName }) => [name, newName]));
  let section = '';
  const written = lines.map((line) => {
    const head = HEAD.exec(line)?.[1];
    if (head !== undefined) section = head;
    if (head !== undefined || cells(line).length === 0) return line;
    if (section === 'moleculetype') return line.replace(/^\s*\S+/, ` ${molecule}`);
    return section === 'atoms' ? withType(line, newNames) : line;
  });
  return [
    '; From ACPYPE; its atom types are in atomtypes.itp.',
    ...written.join('\n').trimEnd().split('\n'),
    '',
    '#ifdef POSRES_LIG',
    `#include "posre_${molecule}.itp"`,
    '#endif',
    '',
  ].join('\n');
}

/** `1   c3     1   UNL     C    1    -0.149100     12.01000 ; qtot -0.149` */
function withType(line: string, newNames: ReadonlyMap<string, string>): string {
  return line.replace(/^(\s*\d+\s+)(\S+)/, (_, number: string, type: string) => {
    const name = newNames.get(type);
    if (name === undefined) throw new Error(`no atom type ${type} in the file of the ligand`);
    return `${number}${name}`;
  });
}

/** One line of `[ atomtypes ]`. */
export interface AtomTypeLine {
  readonly name: string;
  /** Mass, charge, particle type, sigma in nm and epsilon in kJ/mol, as ACPYPE wrote them. */
  readonly parameters: readonly string[];
}

interface NamedType extends AtomTypeLine {
  /** The name in the library. */
  readonly newName: string;
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
    readonly types: readonly NamedType[];
    readonly renamed: readonly string[];
  } {
    const before = new Set(this.#byName.keys());
    const named = types.map((type) => ({ ...type, newName: this.#nameFor(type) }));
    const renamed = named
      .filter(({ name, newName }) => name !== newName && !before.has(newName))
      .map(({ name, newName }) => `the atom type ${name} of its file ${isRenamedTo(newName)}`);
    return { types: named, renamed };
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
    const known = `${type.name} ${type.parameters.map(plainNumber).join(' ')}`;
    const given = this.#newNames.get(known);
    if (given !== undefined) return given;
    const wanted = isOfAmber(type.name) ? `${type.name}${LIGAND_SUFFIX}` : type.name;
    let name = wanted;
    for (let number = 2; this.#byName.has(name); number += 1) name = `${wanted}_${number}`;
    this.#byName.set(name, type);
    this.#newNames.set(known, name);
    return name;
  }
}

/** GAFF's types are in lower case so that they never collide with AMBER's, which begin with a capital. */
function isOfAmber(name: string): boolean {
  return /^[^a-z]/.test(name);
}

function isRenamedTo(newName: string): string {
  const why = newName.endsWith(LIGAND_SUFFIX)
    ? 'protein force fields have a type of that name'
    : 'another ligand has a type of that name with other parameters';
  return `is ${newName} here: ${why}`;
}

/** `3.39771e-01` and `0.339771` are equal. */
function plainNumber(text: string): string {
  const number = Number(text);
  return Number.isNaN(number) ? text : String(number);
}
