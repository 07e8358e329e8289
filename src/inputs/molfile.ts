/**
 * MDL molfiles (V2000 and V3000) and SD files of one record (BIOVIA, "CTfile formats").
 */
import { elementOf } from './element.ts';
import { finding, type Finding } from './finding.ts';
import { checkAtoms, type Structure } from './structure.ts';

const FORMAT = 'MDL';
/** The counts line is the fourth; the three before it are free text. */
const COUNTS_LINE = 3;

export function readMolfile(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const records = recordCount(lines);
  const counts = lines[COUNTS_LINE] ?? '';
  const read = counts.includes('V3000') ? readV3000(lines) : readV2000(lines, counts);
  if (!Array.isArray(read)) return { elements: [], findings: [read] };
  if (read.length === 0) {
    return { elements: [], findings: [finding('MOLECULE_NO_ATOMS', { format: FORMAT })] };
  }
  const findings =
    records > 1 ? [finding('MOLECULE_SEVERAL', { what: 'molecules', count: records })] : [];
  return { elements: read, findings: [...findings, ...checkAtoms(read)] };
}

function recordCount(lines: readonly string[]): number {
  let records = 0;
  let hasText = false;
  for (const line of lines) {
    if (line.startsWith('$$$$')) {
      if (hasText) records += 1;
      hasText = false;
    } else if (line.trim() !== '') {
      hasText = true;
    }
  }
  return hasText ? records + 1 : records;
}

function malformed(line: number, reason: string): Finding {
  return finding('MOLECULE_MALFORMED', { format: FORMAT, line, reason });
}

/** Atom lines: three coordinates of ten columns, then the symbol in columns 32-34. */
function readV2000(lines: readonly string[], counts: string): string[] | Finding {
  const atoms = /^\s*(\d{1,3})(?=[\s\d])/.exec(counts.slice(0, 3).padEnd(4));
  if (atoms === null || !/^[\s\d]{6}/.test(counts.padEnd(6))) {
    return lines.length <= COUNTS_LINE
      ? finding('MOLECULE_NO_ATOMS', { format: FORMAT })
      : malformed(COUNTS_LINE + 1, 'the counts of atoms and bonds are missing');
  }
  const elements: string[] = [];
  for (let index = 0; index < Number(atoms[1]); index += 1) {
    const line = lines[COUNTS_LINE + 1 + index] ?? '';
    const element = elementOf(line.slice(31, 34));
    const coordinates = [line.slice(0, 10), line.slice(10, 20), line.slice(20, 30)];
    if (element === null || coordinates.some((value) => !isNumber(value))) {
      return malformed(COUNTS_LINE + 2 + index, `atom ${String(index + 1)} cannot be read`);
    }
    elements.push(element);
  }
  return elements;
}

/** `M  V30 1 C 1.2823 0.7643 -0.0053 0` between BEGIN ATOM and END ATOM. */
function readV3000(lines: readonly string[]): string[] | Finding {
  const elements: string[] = [];
  let inAtoms = false;
  for (const [index, line] of lines.entries()) {
    if (/^M {2}V30 BEGIN ATOM/.test(line)) inAtoms = true;
    else if (/^M {2}V30 END ATOM/.test(line)) break;
    else if (inAtoms) {
      const [, , , symbol, x, y, z] = line.split(/\s+/);
      const element = elementOf(symbol ?? '');
      if (element === null || ![x, y, z].every((value) => isNumber(value ?? ''))) {
        return malformed(index + 1, 'the atom cannot be read');
      }
      elements.push(element);
    }
  }
  return elements;
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
