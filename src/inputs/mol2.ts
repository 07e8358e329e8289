/**
 * Tripos Mol2 files of one molecule.
 */
import { elementOf } from './element.ts';
import { finding } from './finding.ts';
import { checkAtoms, type Structure } from './structure.ts';

const FORMAT = 'Mol2';

export function readMol2(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const elements: string[] = [];
  let section = '';
  let molecules = 0;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line.startsWith('@<TRIPOS>')) {
      section = line.slice('@<TRIPOS>'.length);
      if (section === 'MOLECULE') molecules += 1;
      continue;
    }
    if (section !== 'ATOM' || molecules > 1 || line === '' || line.startsWith('#')) continue;
    const element = atomElement(line);
    if (element === null) {
      const reason = 'an atom needs a number, a name, three coordinates and a type';
      const facts = { format: FORMAT, line: index + 1, reason };
      return { elements, findings: [finding('MOLECULE_MALFORMED', facts)] };
    }
    elements.push(element);
  }
  if (elements.length === 0) {
    return { elements, findings: [finding('MOLECULE_NO_ATOMS', { format: FORMAT })] };
  }
  const findings =
    molecules > 1 ? [finding('MOLECULE_SEVERAL', { what: 'molecules', count: molecules })] : [];
  return { elements, findings: [...findings, ...checkAtoms(elements)] };
}

/** `1 O 2.3209 0.8545 -0.0097 O.2 …`: the element is the atom type up to its dot; dummy types have none. */
function atomElement(line: string): string | null {
  const [number, name, x, y, z, type] = line.split(/\s+/);
  if (number === undefined || name === undefined || type === undefined) return null;
  if (![x, y, z].every((value) => value !== undefined && Number.isFinite(Number(value))))
    return null;
  return elementOf(type.split('.')[0] ?? '');
}
