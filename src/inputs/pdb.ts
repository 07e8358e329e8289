/**
 * PDB files of one small molecule (wwPDB format 3.3: ATOM and HETATM records, fixed columns).
 */
import { elementOf } from './element.ts';
import { finding, type Finding } from './finding.ts';
import { checkAtoms, type Structure } from './structure.ts';

export function readPdb(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const elements: string[] = [];
  const residues = new Set<string>();
  const findings: Finding[] = [];
  let models = 0;
  for (const [index, line] of lines.entries()) {
    if (/^MODEL\s/.test(line)) models += 1;
    if (models > 1 || !/^(ATOM {2}|HETATM)/.test(line)) continue;
    const element = atomElement(line);
    if (element === null || !hasCoordinates(line)) {
      const reason =
        element === null ? 'its element is not clear' : 'its coordinates are no numbers';
      findings.push(finding('MOLECULE_MALFORMED', { format: 'PDB', line: index + 1, reason }));
      break;
    }
    elements.push(element);
    residues.add(residueName(line));
  }
  if (findings.length === 0 && elements.length === 0) {
    return { elements, findings: [finding('MOLECULE_NO_ATOMS', { format: 'PDB' })] };
  }
  if (models > 1) findings.push(finding('MOLECULE_SEVERAL', { what: 'models', count: models }));
  if (residues.size > 1) {
    findings.push(finding('MOLECULE_SEVERAL_RESIDUES', { residues: [...residues] }));
  }
  findings.push(...checkAtoms(elements));
  return { elements, findings };
}

/** Columns 77-78; where old programs left them blank, the atom name of columns 13-16. */
function atomElement(line: string): string | null {
  const written = elementOf(line.slice(76, 78));
  if (written !== null) return written;
  const name = line.slice(12, 16);
  const letters = /[A-Za-z]+/.exec(name)?.[0] ?? '';
  // `CL1` and `BR2` are halogens; `CA` and `HG` in a ligand are carbon and hydrogen far more often than metals.
  const twoLetters = elementOf(letters.slice(0, 2));
  if (twoLetters === 'Cl' || twoLetters === 'Br') return twoLetters;
  const one = elementOf(letters.slice(0, 1));
  return one ?? twoLetters;
}

function hasCoordinates(line: string): boolean {
  return [line.slice(30, 38), line.slice(38, 46), line.slice(46, 54)].every((column) =>
    /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(column),
  );
}

/** Residue name, chain, number and insertion code: columns 18-20 and 22-27. */
function residueName(line: string): string {
  return `${line.slice(17, 20).trim()} ${line.slice(21, 27).replaceAll(' ', '')}`.trim();
}
