/**
 * Template topologies and run parameters. In the topologies LIGAND is a placeholder for the id of a ligand. The force
 * field of the water and the protein has the same `[ defaults ]` as ACPYPE's files (AMBER's).
 */
import type { ExportFile } from './format.ts';

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

const VACUUM = `; Energy minimisation of a ligand alone, with ligand.top
integrator    = steep
emtol         = 100            ; kJ/(mol nm)
nsteps        = 5000
cutoff-scheme = Verlet
nstlist       = 20
coulombtype   = Cut-off        ; no PME: the ligand may be charged
rcoulomb      = 1.1
rvdw          = 1.1
`;

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

const LIGAND_ALONE = `[ defaults ]
; nbfunc  comb-rule  gen-pairs  fudgeLJ  fudgeQQ
1  2  yes  0.5  0.8333333333

#include "atomtypes.itp"
#include "ligands/LIGAND.itp"

[ system ]
LIGAND

[ molecules ]
LIGAND  1
`;

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

export const TEMPLATES: readonly ExportFile[] = [
  createTopologyTemplate('ligand.top', LIGAND_ALONE),
  createTopologyTemplate('ligand-in-water.top', LIGAND_IN_WATER),
  createTopologyTemplate('protein-ligand.top', PROTEIN_LIGAND),
  { file: 'vacuum.mdp', text: VACUUM },
  { file: 'em.mdp', text: EM },
  { file: 'nvt.mdp', text: NVT },
  { file: 'npt.mdp', text: NPT },
  { file: 'md.mdp', text: MD },
];
