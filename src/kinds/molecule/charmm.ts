/**
 * The files of a molecule for CHARMM and CNS, which share their syntax. `X_CHARMM.rtf` and `X_CNS.top` list its atoms,
 * `X_CHARMM.inp` their positions, `X_CHARMM.prm` and `X_CNS.par` the parameters of its atom types.
 */
import {
  type FileAtom,
  type Parameter,
  type ReadAtoms,
  readPlace,
  type Term,
} from './agreement.ts';

/** `ATOM C1    c3     -0.136100`, `BOND C1    H3           	! dist	    1.0943` */
export function readRtf(text: string): ReadAtoms {
  return readAtoms(text, /^ATOM +(\S+) +(\S+) +(\S+)/gm);
}

/** `ATOM C1    TYPE= c3_   CHARGE=   0.1264 END`, `BOND C     H   ` */
export function readCnsTop(text: string): ReadAtoms {
  const end = /^END \{RESIdue .*\}$/m.test(text);
  return end ? readAtoms(text, /^ATOM +(\S+) +TYPE= +(\S+)_ +CHARGE= *(\S+) END/gm) : 'ends early';
}

function readAtoms(text: string, atom: RegExp): ReadAtoms {
  const rows = [...text.matchAll(atom)];
  const names = rows.map(([, name = '']) => name);
  const indices = new Map(names.map((name, index) => [name, index]));
  const terms = (statement: string, width: number): Term[] =>
    [...text.matchAll(new RegExp(`^${statement} +(.*)$`, 'gm'))].map(([, rest = '']) =>
      rest.split(/\s+/, width).map((name) => indices.get(name) ?? -1),
    );
  const bonds = terms('BOND', 2);
  const angles = terms('ANGLe?', 3);
  // The improper ones of CHARMM are others, and have their atoms in another order.
  const dihedrals = [...terms('DIHEdral', 4), ...terms('IMPRoper', 4)];
  return {
    atoms: rows.map(([, name = '', type = '', charge]) => ({ name, type, charge: Number(charge) })),
    // Two atoms of one name: which of them is bonded is unknown.
    ...(indices.size === names.length && {
      bonds,
      angles,
      ...(dihedrals.length > 0 && { dihedrals }),
    }),
  };
}

/** `    1    1 UNL  C      0.96200   0.01100   0.09000`: columns, which large numbers fill. */
export function readCharmmInp(text: string): ReadAtoms {
  const lines = text.trimEnd().split('\n');
  // The last command, and its title, whose last line is blank but for the asterisk.
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('Write coor card')) + 1);
  if (last.at(-1) !== '*' || !last.every((line) => line.startsWith('*'))) return 'ends early';
  const atoms = lines.flatMap((line): FileAtom[] => {
    const place = /^ *\d+ +\d+ /.test(line) ? readPlace(line.slice(20), /-?\d{1,9}\.\d{5}/g) : null;
    return place === null ? [] : [{ name: line.slice(16, 20).trim(), place }];
  });
  return { atoms, digit: 0.001 };
}

/** Sections, each with a heading; their lines begin with atom types. The values are those of GAFF 1 for any force field. */
export function readCharmmPrm(text: string): Parameter[] {
  const rows = (kind: Parameter['kind'], heading: string, width: number): Parameter[] => {
    const [, rest = ''] = text.split(new RegExp(`^${heading}$`, 'm'));
    const [lines = ''] = rest.split(/^(?:BOND|ANGLE|DIHEDRAL|IMPHI|NONBONDED)\b/m);
    return [...lines.matchAll(/^ *([^!*\s].*\d.*)$/gm)].map(([, line = '']) => ({
      kind,
      of: line.split(/\s+/, width),
    }));
  };
  return [
    ...rows('types', 'NONBONDED.*\nCUTNB.*', 1),
    ...rows('bonds', 'BOND', 2),
    ...rows('angles', 'ANGLE', 3),
    ...rows('dihedrals', 'DIHEDRAL', 4),
    ...rows('impropers', 'IMPHI', 4),
  ];
}

/**
 * Each line begins with its statement, `ANGLe   c3_   c3_   oh_     76.8   109.66`; types end with `_`. The further terms
 * of a sum, `MULT 2`, have lines of their own.
 */
export function readCnsPar(text: string): Parameter[] {
  const rows = (kind: Parameter['kind'], statement: string, width: number): Parameter[] =>
    [...text.matchAll(new RegExp(`^${statement} +(.*(?:\\n {20,}.*)*)$`, 'gm'))].flatMap(
      ([, rest = '']) => {
        const words = rest
          .replace(/MULT +\d+/, '')
          .trim()
          .split(/\s+/);
        const of = words.slice(0, width).map((type) => type.replace(/_$/, ''));
        if (width === 1) return { kind, of };
        const [numbers, size] = [words.slice(width).map(Number), width === 4 ? 3 : 2];
        return Array.from({ length: Math.ceil(numbers.length / size) }, (_, n) => {
          return { kind, of, values: numbers.slice(n * size, (n + 1) * size) };
        });
      },
    );
  return [
    ...rows('types', 'NONBonded', 1),
    ...rows('bonds', 'BOND', 2),
    ...rows('angles', 'ANGLe', 3),
    ...rows('dihedrals', 'DIHEdral', 4),
    ...rows('impropers', 'IMPRoper', 4),
  ];
}
