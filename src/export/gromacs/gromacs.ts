/** `gromacs`: a library of ligands that can be combined freely in one system. */
import { readTopology, type Topology } from '../../kinds/molecule/gromacs.ts';
import type { Added, Exporter, ExportFormat, ExportItem } from '../format.ts';
import { hydrogensMissing } from '../../kinds/molecule/bonding.ts';
import { leftOut } from '../left-out.ts';
import { type AtomTypeLine, AtomTypes, type NamedType } from './atom-types.ts';
import { DEFAULTS, TEMPLATES } from './templates.ts';
import type { MoleculeReading } from '../../kinds/molecule/reading.ts';

const ITP = '_GMX.itp';
const GRO = '_GMX.gro';
const TOP = '_GMX.top';
const PDB = '_NEW.pdb';

export const gromacs: ExportFormat = {
  name: 'gromacs',
  kinds: ['molecule'],
  content: 'a ligand library: atomtypes.itp, an .itp, posre and .gro each, topologies, .mdp',
  loadedBy: 'GROMACS',
  files: [ITP, GRO, TOP, PDB],
  takes: ['reading'],
  structure: 'none',
  start: () => new GromacsLibrary(),
};

class GromacsLibrary implements Exporter {
  readonly #types = new AtomTypes();
  /** Id of the first ligand for each name in ACPYPE's files. */
  readonly #names = new Map<string, string>();

  add({ id, files, reading }: ExportItem): Added {
    const itp = readLigandItp(files[ITP] ?? '');
    const topology = readTopology(files[ITP] ?? '');
    if (itp === null || topology === null || reading?.kind !== 'molecule') {
      return leftOut('RESULT_UNREADABLE', { lack: 'no topology' });
    }
    const missing = hydrogensMissing(reading);
    if (missing !== null) return leftOut('HYDROGENS_MISSING', missing);
    if (!hasDefaults(files[TOP] ?? '')) {
      return leftOut('DEFAULTS_DIFFER', {});
    }
    const { types, renamed } = this.#types.add(itp.types);
    return {
      pieces: [
        { file: `ligands/${id}.itp`, text: writeLigandItp(itp, { molecule: id, types }) },
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

/** The ligand's name and the names of its types in the library. */
interface LibraryNames {
  /** Of the `[ moleculetype ]`, the item's id. */
  readonly molecule: string;
  readonly types: readonly NamedType[];
}

/**
 * The file of the library, which includes its position restraints.
 * @throws Error if an atom has a type that the file does not define, which ACPYPE never writes
 */
function writeLigandItp({ lines }: LigandItp, { molecule, types }: LibraryNames): string {
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
