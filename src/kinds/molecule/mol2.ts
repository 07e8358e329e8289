/**
 * Tripos Mol2 files of one molecule.
 */
import { elementOf } from './element.ts';
import { finding, type InputFinding } from '../finding.ts';
import { numbered, unreadable, type Atom, type Bond, type Structure } from './structure.ts';

const FORMAT = 'Mol2';

export function readMol2(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const atoms: Atom[] = [];
  const bonds: Bond[] = [];
  const substructures = new Set<string>();
  let section = '';
  let molecules = 0;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line.startsWith('@<TRIPOS>')) {
      section = line.slice('@<TRIPOS>'.length);
      if (section === 'MOLECULE') molecules += 1;
    } else if (molecules > 1 || line === '' || line.startsWith('#')) {
      continue;
    } else if (section === 'ATOM') {
      const atom = atomOf(line);
      if (atom === null) {
        const reason = 'an atom needs a number, a name, three coordinates and a type';
        return unreadable(FORMAT, index + 1, reason);
      }
      atoms.push(atom);
      substructures.add(line.split(/\s+/)[7] ?? '');
    } else if (section === 'BOND') {
      const bond = numbered(line.split(/\s+/).slice(1, 3), atoms.length);
      if (bond === null) return unreadable(FORMAT, index + 1, 'a bond needs two atoms of the file');
      bonds.push(bond);
    }
  }
  if (atoms.length === 0) {
    return { atoms, bonds: null, findings: [finding('MOLECULE_NO_ATOMS', { format: FORMAT })] };
  }
  const findings: InputFinding[] = [];
  if (molecules > 1) {
    findings.push(finding('MOLECULE_SEVERAL', { what: 'molecules', count: molecules }));
  }
  if (substructures.size > 1) {
    findings.push(finding('MOLECULE_SEVERAL_RESIDUES', { residues: [...substructures] }));
  }
  return { atoms, bonds: bonds.length === 0 ? null : bonds, findings };
}

/** `1 O 2.3209 0.8545 -0.0097 O.2 …`: the element is the atom type up to its dot; dummy types have none. */
function atomOf(line: string): Atom | null {
  const [number, name, x, y, z, type] = line.split(/\s+/);
  if (number === undefined || name === undefined || type === undefined) return null;
  const place = [Number(x), Number(y), Number(z)] as const;
  const element = elementOf(type.split('.')[0] ?? '');
  return element === null || !place.every(Number.isFinite) ? null : { element, place };
}
