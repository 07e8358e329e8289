/** `openmm`: AMBER's own files as written by ACPYPE, and a script that builds an OpenMM `System` from each. */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';
import { hydrogensMissing } from '../kinds/molecule/bonding.ts';

const PRMTOP = '_AC.prmtop';
const INPCRD = '_AC.inpcrd';

export const openmm: ExportFormat = {
  name: 'openmm',
  kinds: ['molecule'],
  content: 'prmtop and inpcrd of each ligand, and a script that makes OpenMM Systems of them',
  loadedBy: 'OpenMM, ParmEd, AMBER',
  files: [PRMTOP, INPCRD],
  takes: ['reading'],
  structure: 'none',
  start: (): Exporter => ({
    add: addLigand,
    end: () => [{ file: 'systems.py', text: SYSTEMS_SCRIPT }],
  }),
};

function addLigand({ id, files, reading }: ExportItem): Added {
  if (reading?.kind !== 'molecule') return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const missing = hydrogensMissing(reading);
  if (missing !== null) return leftOut('HYDROGENS_MISSING', missing);
  return {
    notes: chargeNotes(files[PRMTOP] ?? '', reading.charge),
    pieces: [
      { file: `ligands/${id}.prmtop`, text: files[PRMTOP] ?? '' },
      { file: `ligands/${id}.inpcrd`, text: files[INPCRD] ?? '' },
    ],
  };
}

/** AMBER's internal unit of charge, in elementary charges: the square root of its Coulomb constant (prmtop format). */
const AMBER_CHARGE = 18.2223;
/** Elementary charges. Files have six decimals per atom. */
const TOLERANCE = 0.0005;

/** AM1-BCC leaves a few thousandths of a charge, which ACPYPE corrects at one atom, but only in the GROMACS files. */
function chargeNotes(prmtop: string, gromacs: number): string[] {
  const [, section = ''] = prmtop.split(/^%FLAG CHARGE *\n%FORMAT.*\n/m);
  const values = (section.split('%', 1)[0] ?? '').trim().split(/\s+/).map(Number);
  const amber = values.reduce((sum, value) => sum + value, 0) / AMBER_CHARGE;
  if (Math.abs(amber - gromacs) < TOLERANCE) return [];
  const [here, there] = [amber, gromacs].map((charge) => charge.toFixed(4));
  return [
    `its charges sum up to ${here} e here and to ${there} e in the GROMACS files, as ACPYPE wrote them`,
  ];
}

/**
 * The script for the AMBER files. A serialised `System` depends on the OpenMM version that wrote it, so the OpenMM that
 * will load it should write it.
 */
const SYSTEMS_SCRIPT = `"""Builds an OpenMM System of each ligand and writes it as XML: python systems.py [ID ...]

Prints the potential energy in vacuum, in kJ/mol. Needs OpenMM (pip install openmm).
"""
import pathlib
import sys

import openmm
from openmm import app, unit

HERE = pathlib.Path(__file__).resolve().parent
LIGANDS = HERE / "ligands"


def build(ligand):
    """The System of a ligand in vacuum, with its topology and coordinates."""
    prmtop = app.AmberPrmtopFile(str(LIGANDS / f"{ligand}.prmtop"))
    inpcrd = app.AmberInpcrdFile(str(LIGANDS / f"{ligand}.inpcrd"))
    return prmtop.createSystem(nonbondedMethod=app.NoCutoff), prmtop.topology, inpcrd.positions


def energy(system, positions):
    """Potential energy in kJ/mol."""
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), platform)
    context.setPositions(positions)
    found = context.getState(getEnergy=True).getPotentialEnergy()
    return found.value_in_unit(unit.kilojoule_per_mole)


def main(wanted):
    target = HERE / "systems"
    target.mkdir(exist_ok=True)
    names = wanted or sorted(path.name[: -len(".prmtop")] for path in LIGANDS.glob("*.prmtop"))
    for ligand in names:
        system, _, positions = build(ligand)
        (target / f"{ligand}.xml").write_text(openmm.XmlSerializer.serialize(system))
        print(f"{ligand}  {system.getNumParticles()} atoms  {energy(system, positions):.3f} kJ/mol")


if __name__ == "__main__":
    main(sys.argv[1:])
`;
