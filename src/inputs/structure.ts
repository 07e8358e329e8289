/**
 * A molecule with coordinates, as far as it must be known before an hour's budget is spent on it;
 * what PDB, Mol2 and MDL files have in common.
 */
import { HALOGENS, unsupportedElements } from './element.ts';
import { finding, type Finding } from './finding.ts';

/** Atoms of a coordinate file, hydrogens counted (contract of the molecule service, sections 1.5 and 8). */
export const ATOM_LIMIT = 200;

/** Up to this many atoms a molecule may well have no hydrogen: CO, CO2, CS2. */
const SMALL_MOLECULE = 3;

export interface Structure {
  /** Symbol of every atom, in the order of the file; of the first model where there are several. */
  readonly elements: readonly string[];
  readonly findings: readonly Finding[];
}

/** The checks that do not depend on the format; only for files in which atoms were found. */
export function checkAtoms(elements: readonly string[]): Finding[] {
  const atoms = elements.length;
  const findings: Finding[] = [];
  if (atoms > ATOM_LIMIT) {
    findings.push(finding('MOLECULE_TOO_MANY_ATOMS', { atoms, atLeast: false, limit: ATOM_LIMIT }));
  }
  const hydrogens = hydrogenFinding(elements);
  if (hydrogens !== null) findings.push(hydrogens);
  const unsupported = unsupportedElements(elements);
  if (unsupported.length > 0) {
    findings.push(finding('MOLECULE_ELEMENT_UNSUPPORTED', { elements: unsupported }));
  }
  return findings;
}

/**
 * With `bcc` the engine fails on a molecule without hydrogens; with `gas` it succeeds and is wrong.
 * Carbon tetrachloride and its like have none by nature, and cannot be told from a stripped chloroform
 * without bonds: for these it is only a warning.
 */
function hydrogenFinding(elements: readonly string[]): Finding | null {
  const atoms = elements.length;
  const carbons = elements.filter((element) => element === 'C').length;
  if (carbons === 0 || elements.includes('H')) return null;
  const halogens = elements.filter((element) => HALOGENS.has(element)).length;
  return atoms <= SMALL_MOLECULE || halogens >= carbons
    ? finding('MOLECULE_HYDROGENS_DOUBTFUL', { atoms })
    : finding('MOLECULE_NO_HYDROGENS', { atoms });
}
