/** `gromacs`: a library of ligands that can be combined freely in one system. */
import { readSection } from '../kinds/molecule/formats.ts';
import type { AtomReading } from '../kinds/molecule/reading.ts';
import {
  type Added,
  formatCodeBlock,
  type Exporter,
  type ExportFile,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  markSynthetic,
} from './format.ts';
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

/** Appended to AMBER's own types, which the protein force fields define as well. */
const LIGAND_SUFFIX = '_lig';

/**
 * The atom types of all ligands are in one `[ atomtypes ]` (GROMACS manual, topology file formats): types with equal
 * parameters are one; a type that is already defined with other parameters gets another name. ACPYPE writes every bonded
 * parameter in full, so a type's name only stands for its Lennard-Jones parameters.
 *
 * Types are always renamed, even if the parameters are those of the protein force field: `grompp` warns about a second
 * definition, and stops on a warning. Rejected: a separate force field for the export (`.ff` folder), which cannot be
 * combined with that of a protein.
 */
class GromacsLibrary implements Exporter {
  /** Mass, charge, particle type, sigma in nm and epsilon in kJ/mol, as ACPYPE wrote them; by name in the library. */
  readonly #types = new Map<string, readonly string[]>();
  /** Names in the library, by name and parameters in the ligand's file. */
  readonly #newNames = new Map<string, string>();

  add(item: ExportItem): Added {
    const { id, files } = item;
    const { atoms } = readLigand(item);
    const itp = files[ITP] ?? '';
    const start = itp.search(/^\[ moleculetype \]/m);
    const types = readSection(itp, 'atomtypes');
    if (start < 0 || types.length === 0)
      throw new LeftOut('RESULT_UNREADABLE', 'its _GMX.itp is not a topology of ACPYPE');
    const notes: string[] = [];
    const newNames = new Map(
      types.map(([name = '', , ...parameters]) => [name, this.#addType(name, parameters, notes)]),
    );
    const ligand = [
      ...markSynthetic(item, ';'),
      '; From ACPYPE; its atom types are in atomtypes.itp.',
      renameIn(itp.slice(start), id, newNames).trimEnd(),
      `\n#ifdef POSRES_LIG\n#include "posre_${id}.itp"\n#endif\n`,
    ];
    return {
      files: [
        { file: `ligands/${id}.itp`, text: ligand.join('\n') },
        { file: `ligands/posre_${id}.itp`, text: formatPositionRestraints(atoms) },
        { file: `ligands/${id}.gro`, text: files[GRO] ?? '' },
      ],
      notes,
    };
  }

  end() {
    const lines = [
      '; All atom types of this ligand library. Include it once, before the first [ moleculetype ].',
      '[ atomtypes ]',
      '; name  bond_type  mass  charge  ptype  sigma  epsilon',
      ...[...this.#types].map(([name, parameters]) =>
        [name.padEnd(10), name.padEnd(10), ...parameters].join('  '),
      ),
      '',
    ];
    return [{ file: 'atomtypes.itp', text: lines.join('\n') }, ...TEMPLATES];
  }

  /** Its name in the library. Another one than in the file is noted, when it is new. */
  #addType(name: string, parameters: readonly string[], notes: string[]): string {
    const known = [name, ...parameters].join(' ');
    const given = this.#newNames.get(known);
    if (given !== undefined) return given;
    // GAFF's types are in lower case so that they never collide with AMBER's, which begin with a capital.
    const isAmber = /^[^a-z]/.test(name);
    const full = isAmber ? `${name}${LIGAND_SUFFIX}` : name;
    let free = full;
    for (let number = 2; this.#types.has(free); number += 1) free = `${full}_${number}`;
    this.#types.set(free, parameters);
    this.#newNames.set(known, free);
    const why = isAmber
      ? 'protein force fields have a type of that name'
      : 'another ligand has a type of that name with other parameters';
    if (free !== name) notes.push(`the atom type ${name} of its file is ${free} here: ${why}`);
    return free;
  }
}

/** kJ/(mol nm²), in each direction. */
const FORCE = 1000;
/** u: lighter atoms are hydrogens. */
const HEAVY_FROM = 2;

/** `posre_X.itp`, which is not among the service's files: restrains every heavy atom, as ACPYPE does. */
function formatPositionRestraints(atoms: readonly AtomReading[]): string {
  const held = atoms.flatMap(({ mass }, index) => (mass < HEAVY_FROM ? [] : [index + 1]));
  return [
    '; Heavy atoms of the ligand, held with define = -DPOSRES_LIG.',
    '[ position_restraints ]',
    '; atom  type      fx      fy      fz',
    ...held.map((atom) => `${String(atom).padStart(6)}     1    ${FORCE}    ${FORCE}    ${FORCE}`),
    '',
  ].join('\n');
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

/*
 * Template topologies and run parameters. In the topologies LIGAND is a placeholder for the id of a ligand. The force
 * field of the water and the protein has the same `[ defaults ]` as ACPYPE's files (AMBER's).
 */

const FORCE_FIELD = 'amber99sb-ildn.ff';

const CUT_OFFS = `cutoff-scheme = Verlet
nstlist       = 20
coulombtype   = PME
rcoulomb      = 1.0
rvdw          = 1.0
DispCorr      = EnerPres
`;

const DYNAMICS = `integrator    = md
dt            = 0.002          ; ps
constraints   = h-bonds
tcoupl        = V-rescale
tc-grps       = System
tau-t         = 0.5
ref-t         = 300
`;

const HELD = `define        = -DPOSRES_LIG   ; with a protein: -DPOSRES -DPOSRES_LIG
nsteps        = 50000
`;

const PRESSURE = `continuation  = yes
pcoupl        = C-rescale
tau-p         = 2.0
ref-p         = 1.0
compressibility = 4.5e-5
`;

const EM = `; Energy minimisation
integrator    = steep
emtol         = 500            ; kJ/(mol nm)
nsteps        = 5000
${CUT_OFFS}`;

const NVT = `; 100 ps at constant volume, the heavy atoms of the ligand held
${HELD}gen-vel       = yes
gen-temp      = 300
${DYNAMICS}${CUT_OFFS}`;

const NPT = `; 100 ps at constant pressure, the heavy atoms of the ligand held
${HELD}${PRESSURE}refcoord-scaling = com
${DYNAMICS}${CUT_OFFS}`;

const MD = `; 1 ns at constant pressure
nsteps        = 500000
nstxout-compressed = 5000
${PRESSURE}${DYNAMICS}${CUT_OFFS}`;

const IN_WATER = `#include "ligands/LIGAND.itp"
#include "${FORCE_FIELD}/tip3p.itp"
#include "${FORCE_FIELD}/ions.itp"
`;

const LIGAND_IN_WATER = `#include "${FORCE_FIELD}/forcefield.itp"
#include "atomtypes.itp"
${IN_WATER}
[ system ]
LIGAND in water

[ molecules ]
LIGAND  1
`;

const PROTEIN_LIGAND = `; protein.itp is the part of pdb2gmx's topol.top from [ moleculetype ] up to the water (docs/export.md).
#include "${FORCE_FIELD}/forcefield.itp"
#include "atomtypes.itp"
#include "protein.itp"
${IN_WATER}
[ system ]
Protein with LIGAND

[ molecules ]
; as in the [ moleculetype ] of protein.itp
Protein  1
LIGAND  1
`;

function createTopologyTemplate(file: string, text: string): ExportFile {
  const head = `; LIGAND stands for the id of a ligand: sed 's/LIGAND/aspirin/g' ${file} > topol.top`;
  return { file, text: `${head}\n${text}` };
}

const TEMPLATES: readonly ExportFile[] = [
  createTopologyTemplate('ligand-in-water.top', LIGAND_IN_WATER),
  createTopologyTemplate('protein-ligand.top', PROTEIN_LIGAND),
  { file: 'em.mdp', text: EM },
  { file: 'nvt.mdp', text: NVT },
  { file: 'npt.mdp', text: NPT },
  { file: 'md.mdp', text: MD },
];
