/** The result of a molecule, read from its files: what the report, the tables and the exports show. */
import { deriveBondOrders } from './bonding.ts';
import { inferElement, computeHillFormula } from './element.ts';
import { readTopology, sumCharges } from './gromacs.ts';
import { readResultPdb } from './pdb.ts';
import type { EstimatedParameter, MoleculeReading } from './reading.ts';

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
    return { ...atom, element: inferElement(atom.mass, symbol, atom.name), position };
  });
  return {
    kind: 'molecule',
    name: topology.name,
    formula: computeHillFormula(atoms.map(({ element }) => element)),
    charge: sumCharges(atoms),
    atoms,
    bonds: topology.bonds,
    bonding: deriveBondOrders({ atoms, bonds: topology.bonds }),
    estimated: readFrcmod(frcmod),
  };
}

/** By heading: what the lines are about, and the columns of the atom types: two each, and the dashes between them. */
const SECTIONS: Readonly<Record<string, { term: EstimatedParameter['term']; width: number }>> = {
  MASS: { term: 'mass', width: 2 },
  BOND: { term: 'bond', width: 5 },
  ANGLE: { term: 'angle', width: 8 },
  DIHE: { term: 'dihedral', width: 11 },
  IMPROPER: { term: 'improper', width: 11 },
  NONBON: { term: 'nonbonded', width: 2 },
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
  let section: (typeof SECTIONS)[string] | undefined;
  // The first line is a title.
  for (const line of text.split(/\r?\n/).slice(1)) {
    const row = line.trim();
    const heading = SECTIONS[row];
    section = heading ?? section;
    if (heading !== undefined || section === undefined || row === '') continue;
    const { term, width } = section;
    const types = row.slice(0, width).replace(/\s/g, '');
    const rest = row.slice(width);
    const last = found.at(-1);
    const isSame = term === 'dihedral' && last?.term === term && last.types === types;
    const penalty = /penalty score=\s*(\d+(?:\.\d*)?)/i.exec(rest)?.[1];
    const remark = parseRemark(rest);
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

/** The text after the numbers, without the penalty. */
function parseRemark(rest: string): string {
  const words = rest
    .replace(/^(?:\s+[-+]?[\d.]+)*/, '')
    .replace(/,?\s*penalty score=\s*[\d.]+/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  // parmchk2 closes one more bracket than it opens.
  const isOpen = words.split('(').length >= words.split(')').length;
  return isOpen ? words : words.replace(/\s*\)$/, '');
}
