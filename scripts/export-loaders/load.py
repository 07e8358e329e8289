"""Loads the files of an export with the program that they are for: load.py FORMAT PATH... prints JSON."""
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")


def described(molecule):
    """A molecule as RDKit reads it. Chem.RemoveHs keeps what is needed to tell stereoisomers apart."""
    from rdkit import Chem

    bare = Chem.RemoveHs(molecule)
    return {
        "smiles": Chem.MolToSmiles(bare),
        "flat": Chem.MolToSmiles(bare, isomericSmiles=False),
        "atoms": molecule.GetNumAtoms(),
        "charge": Chem.GetFormalCharge(molecule),
        "is3d": molecule.GetConformer().Is3D(),
    }


def sdf(path):
    from rdkit import Chem

    found = {}
    for molecule in Chem.SDMolSupplier(path, removeHs=False):
        # RDKit makes an atom property of the data item by its name (atom.dprop.PartialCharge), as OpenFF does.
        charges = [atom.GetDoubleProp("PartialCharge") for atom in molecule.GetAtoms()]
        properties = molecule.GetPropsAsDict()
        found[molecule.GetProp("_Name")] = {
            **described(molecule),
            "partial": charges,
            "properties": {name: str(properties[name]) for name in properties},
        }
    return found


def smi(path):
    from rdkit import Chem

    molecules = Chem.SmilesMolSupplier(path, titleLine=False)
    return {one.GetProp("_Name"): Chem.MolToSmiles(one) for one in molecules}


def canonical(path):
    """RDKit's canonical SMILES of {id: SMILES}, with and without stereochemistry."""
    from rdkit import Chem

    def both(text):
        molecule = Chem.MolFromSmiles(text)
        return {
            "smiles": Chem.MolToSmiles(molecule),
            "flat": Chem.MolToSmiles(molecule, isomericSmiles=False),
        }

    given = json.loads(pathlib.Path(path).read_text())
    return {name: both(text) for name, text in given.items()}


def energy(system, positions):
    """In kJ/mol."""
    import openmm
    from openmm import unit

    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), platform)
    context.setPositions(positions)
    found = context.getState(getEnergy=True).getPotentialEnergy()
    return found.value_in_unit(unit.kilojoule_per_mole)


def energies(amber, gromacs):
    """Potential energies of each ligand from its AMBER and its GROMACS files, by OpenMM and by ParmEd."""
    import parmed
    from openmm import app

    ligands = pathlib.Path(amber) / "ligands"
    template = pathlib.Path(__file__).with_name("ligand.top").read_text()
    found = {}
    for prmtop in sorted(ligands.glob("*.prmtop")):
        name = prmtop.name[: -len(".prmtop")]
        positions = app.AmberInpcrdFile(str(prmtop.with_suffix("").with_name(f"{name}.inpcrd"))).positions
        top = pathlib.Path(gromacs) / f"{name}.top"
        top.write_text(template.replace("LIGAND", name))
        by_gromacs = app.GromacsTopFile(str(top))
        by_amber = app.AmberPrmtopFile(str(prmtop))
        amber_system = by_amber.createSystem(nonbondedMethod=app.NoCutoff)
        gromacs_system = by_gromacs.createSystem(nonbondedMethod=app.NoCutoff)
        by_parmed = parmed.load_file(str(prmtop)).createSystem(nonbondedMethod=app.NoCutoff)
        also_gromacs = parmed.load_file(str(top)).createSystem(nonbondedMethod=app.NoCutoff)
        moved = charge_difference(amber_system, gromacs_system)
        found[name] = {
            "amber": energy(amber_system, positions),
            "gromacs": energy(gromacs_system, positions),
            "parmed": energy(by_parmed, positions),
            "parmedGromacs": energy(also_gromacs, positions),
            "chargeDifference": moved,
            "sameCharges": energy(with_charges_of(gromacs_system, amber_system), positions),
        }
    return found


def one_energy(prmtop, inpcrd):
    """Number of particles and potential energy by OpenMM."""
    from openmm import app

    system = app.AmberPrmtopFile(prmtop).createSystem(constraints=app.HBonds)
    return {
        "particles": system.getNumParticles(),
        "energy": energy(system, app.AmberInpcrdFile(inpcrd).positions),
    }


def nonbonded(system):
    return next(one for one in system.getForces() if one.getName() == "NonbondedForce")


def charges_of(system):
    force = nonbonded(system)
    return [force.getParticleParameters(one)[0]._value for one in range(force.getNumParticles())]


def charge_difference(one, other):
    """The largest of an atom, in elementary charges."""
    return max(abs(a - b) for a, b in zip(charges_of(one), charges_of(other)))


def with_charges_of(system, other):
    """The system with the charges of another one, also between atoms three bonds apart (AMBER: / 1.2)."""
    force, charges = nonbonded(system), charges_of(other)
    for index, charge in enumerate(charges):
        force.setParticleParameters(index, charge, *force.getParticleParameters(index)[1:])
    for index in range(force.getNumExceptions()):
        one, two, product, sigma, epsilon = force.getExceptionParameters(index)
        if product._value != 0:
            force.setExceptionParameters(index, one, two, charges[one] * charges[two] / 1.2, sigma, epsilon)
    return system


def bfactors(path):
    """Of a PDB file, as Biopython reads it: chain, number, insertion code and the B factors of each residue."""
    from Bio.PDB import PDBParser

    structure = PDBParser(QUIET=True, PERMISSIVE=False).get_structure("one", path)
    found = []
    for residue in structure[0].get_residues():
        _, number, insertion = residue.get_id()
        place = residue.get_parent().get_id() + str(number) + insertion.strip()
        found.append([place, sorted({round(atom.get_bfactor(), 2) for atom in residue})])
    return found


def peptide(path):
    """Writes a short peptide as a PDB file with hydrogens, to be a protein beside a ligand."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    molecule = Chem.AddHs(Chem.MolFromSequence("GAVSAG"), addResidueInfo=True)
    AllChem.EmbedMolecule(molecule, randomSeed=7)
    pathlib.Path(path).write_text(Chem.MolToPDBBlock(molecule))
    return path


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
