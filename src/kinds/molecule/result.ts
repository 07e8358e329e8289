/** The result of a molecule, read from its files: what the report, the tables and the exports show. */
import type { BondOrders } from '../../domain/molecular-graph.ts';
import type { Parameter } from './agreement.ts';
import { deriveBondOrders } from './bonding.ts';
import { elementOfAtom, hillFormula } from './element.ts';
import { readTopology, totalCharge } from './gromacs.ts';
import { readResultPdb } from './pdb.ts';

/** One atom of a molecule, as in the topology (GROMACS manual, topology file formats, `[ atoms ]`). */
export interface AtomReading {
  /** In the molecule, `C1`; unique by convention only. */
  readonly name: string;
  /** Symbol, `Cl`. */
  readonly element: string;
  /** Of the force field, `ca`. */
  readonly type: string;
  /** Partial charge, in elementary charges. */
  readonly charge: number;
  /** Atomic mass units. */
  readonly mass: number;
  /** Ångström, as the engine wrote them. */
  readonly position: readonly [x: number, y: number, z: number];
}

/** A parameter that is not in the force field: copied from a similar one, or guessed. */
export interface EstimatedParameter {
  /** The section of `X_AC.frcmod`. */
  readonly term: 'mass' | 'bond' | 'angle' | 'dihedral' | 'improper' | 'nonbonded';
  /** The atom types, `ca-c3-h1`. */
  readonly types: string;
  /** parmchk2's penalty score; null if the line has none. 0 fits well, above 10 should be checked. */
  readonly penalty: number | null;
  /** `ATTN, need revision`: no similar parameter was found. */
  readonly needsRevision: boolean;
  /** The source of the numbers, in parmchk2's words without the penalty: `same as c3-c -n`; '' if there is none. */
  readonly remark: string;
}

export interface MoleculeReading {
  readonly kind: 'molecule';
  /** The molecule's name in its files. */
  readonly name: string;
  /** In Hill order, `C8H10N4O2`. */
  readonly formula: string;
  /** Sum of the atoms' charges in the topology, in elementary charges. */
  readonly charge: number;
  readonly atoms: readonly AtomReading[];
  /** Pairs of indices into `atoms`, from 0. */
  readonly bonds: readonly (readonly [number, number])[];
  /** Derived from atoms, bonds and net charge (bonding.ts), which a topology has; null if none fit. */
  readonly bonding: BondOrders | null;
  readonly estimated: readonly EstimatedParameter[];
}

/** Texts of the files, by file name ending. */
export interface MoleculeTexts {
  /** `X_GMX.itp` */
  readonly itp: string;
  /** `X_NEW.pdb`: in ångström and with three decimals, while `X_GMX.gro` has nanometres with three. */
  readonly pdb: string;
  /** `X_AC.frcmod` */
  readonly frcmod: string;
}

export function readMolecule({ itp, pdb, frcmod }: MoleculeTexts): MoleculeReading | null {
  const topology = readTopology(itp);
  const placed = readResultPdb(pdb).atoms;
  if (topology === null || placed.length !== topology.atoms.length) return null;
  const atoms = topology.atoms.map((atom, index) => {
    const { symbol = '', place: position = [0, 0, 0] as const } = placed[index] ?? {};
    return { ...atom, element: elementOfAtom(atom.mass, symbol, atom.name), position };
  });
  return {
    kind: 'molecule',
    name: topology.name,
    formula: hillFormula(atoms.map(({ element }) => element)),
    charge: totalCharge(atoms),
    atoms,
    bonds: topology.bonds,
    bonding: deriveBondOrders({ atoms, bonds: topology.bonds }),
    estimated: readFrcmod(frcmod),
  };
}

interface Section {
  readonly term: EstimatedParameter['term'];
  readonly kind: Parameter['kind'];
  /** Columns of the atom types at the start of a line: two each, and the dashes between them. */
  readonly width: number;
}

const SECTIONS: Readonly<Record<string, Section>> = {
  MASS: { term: 'mass', kind: 'types', width: 2 },
  BOND: { term: 'bond', kind: 'bonds', width: 5 },
  ANGLE: { term: 'angle', kind: 'angles', width: 8 },
  DIHE: { term: 'dihedral', kind: 'dihedrals', width: 11 },
  IMPROPER: { term: 'improper', kind: 'impropers', width: 11 },
  NONBON: { term: 'nonbonded', kind: 'types', width: 2 },
};

/**
 * The parameters that a molecule needs and its force field lacks, as written by parmchk2 to `X_AC.frcmod` (AmberTools
 * manual, "parmchk2"). Each line states the source of its numbers, in one of several forms:
 *
 *   same as c3-c -n -c3, penalty score=  0.0
 *   Same as X -X -ca-ha, penalty score= 67.5 (use general term))
 *   Using general improper torsional angle  X- X-ca-ha, penalty score=  6.0)
 *   Using the default value
 *   Calculated with empirical approach for cd-cd-n1
 *   ATTN, need revision
 *
 * In file order. A dihedral that is a sum of several terms, one line each, is one parameter.
 */
export function readFrcmod(text: string): readonly EstimatedParameter[] {
  const found: EstimatedParameter[] = [];
  for (const { term, types, rest } of readLines(text)) {
    const last = found.at(-1);
    const isSame = term === 'dihedral' && last?.term === term && last.types === types;
    const penalty = /penalty score=\s*(\d+(?:\.\d*)?)/i.exec(rest)?.[1];
    const remark = remarkOf(rest);
    // Only the last term of a sum has the penalty.
    found.splice(isSame ? -1 : found.length, 1, {
      term,
      types,
      penalty: penalty !== undefined ? Number(penalty) : ((isSame ? last.penalty : null) ?? null),
      needsRevision: /ATTN,?\s+need revision/i.test(rest) || (isSame && last.needsRevision),
      remark: remark || (isSame ? last.remark : ''),
    });
  }
  return found;
}

/** The numbers of all lines. */
export function readFrcmodValues(text: string): Parameter[] {
  return readLines(text).map(({ term, kind, types, rest }) => {
    const [a = NaN, b = NaN, c = NaN, d = NaN] = rest.trim().split(/\s+/).map(Number);
    const values: Partial<Record<EstimatedParameter['term'], number[]>> = {
      bond: [a, b],
      angle: [a, b],
      // The period of all terms of a sum but the last is negative.
      dihedral: [b / a, Math.abs(d), c],
      improper: [a, c, b],
    };
    return { kind, of: types.split('-'), values: values[term] };
  });
}

/** With its types, and what follows them. */
function readLines(text: string) {
  const found: (Section & { readonly types: string; readonly rest: string })[] = [];
  let section: Section | null = null;
  // The first line is a title.
  for (const line of text.split(/\r?\n/).slice(1)) {
    const next = SECTIONS[line.trim()];
    if (next !== undefined) section = next;
    else if (section !== null && line.trim() !== '') {
      const types = line.trimStart().slice(0, section.width).replace(/\s/g, '');
      found.push({ ...section, types, rest: line.trimStart().slice(section.width) });
    }
  }
  return found;
}

/** The text after the numbers, without the penalty. */
function remarkOf(rest: string): string {
  const words = rest
    .replace(/^(?:\s+[-+]?[\d.]+)*/, '')
    .replace(/,?\s*penalty score=\s*[\d.]+/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  // parmchk2 closes one more bracket than it opens.
  const isOpen = words.split('(').length >= words.split(')').length;
  return isOpen ? words : words.replace(/\s*\)$/, '');
}
