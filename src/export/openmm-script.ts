/**
 * The script for the AMBER files. A serialised `System` depends on the OpenMM version that wrote it, so the OpenMM that
 * will load it should write it.
 */
export const SYSTEMS_SCRIPT = `"""Builds an OpenMM System of each ligand and writes it as XML: python systems.py [ID ...]

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
