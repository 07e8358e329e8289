/** `gromacs`: a library of ligands that can be combined freely in one system. */
import { readTopology } from '../../results/topology.ts';
import type { Added, Exporter, ExportFormat, ExportItem } from '../format.ts';
import { hydrogensMissing } from '../hydrogens.ts';
import { leftOut } from '../left-out.ts';
import { AtomTypes } from './atom-types.ts';
import { readLigandItp, writeLigandItp } from './ligand-itp.ts';
import { positionRestraints } from './position-restraints.ts';
import { withBox } from './coordinates.ts';
import { DEFAULTS, TEMPLATES } from './templates.ts';

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
