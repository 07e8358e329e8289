/**
 * Merges the atom types of a ligand library into one `[ atomtypes ]` (GROMACS manual, topology file formats): types
 * with equal parameters are one; a type that is already defined with other parameters gets another name. ACPYPE writes
 * every bonded parameter in full, so a type's name only stands for its Lennard-Jones parameters.
 *
 * Types are always renamed, even if the parameters are those of the protein force field: `grompp` warns about a second
 * definition, and stops on a warning. Rejected: a separate force field for the export (`.ff` folder), which cannot be
 * combined with that of a protein.
 */

/** One line of `[ atomtypes ]`. */
export interface AtomTypeLine {
  readonly name: string;
  /** Mass, charge, particle type, sigma in nm and epsilon in kJ/mol, as ACPYPE wrote them. */
  readonly parameters: readonly string[];
}

export interface NamedType extends AtomTypeLine {
  /** The name in the library. */
  readonly newName: string;
}

interface LibraryTypes {
  readonly types: readonly NamedType[];
  /** Renamed types that are new with this ligand, one sentence each. */
  readonly renamed: readonly string[];
}

/** Appended to AMBER's own types, which the protein force fields define as well. */
const LIGAND_SUFFIX = '_lig';

export class AtomTypes {
  /** By their names in the library. */
  readonly #byName = new Map<string, AtomTypeLine>();
  /** Names in the library, by name and parameters in the ligand's file. */
  readonly #newNames = new Map<string, string>();

  /** Adds the types of a ligand. */
  add(types: readonly AtomTypeLine[]): LibraryTypes {
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
