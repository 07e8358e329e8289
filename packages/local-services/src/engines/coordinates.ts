/** Molecules as coordinate files have them: atoms, bonds and charges, as far as the services need them. */

export const COORDINATE_ENDINGS = ['pdb', 'mol2', 'mdl', 'mol', 'sdf'] as const;
type Ending = (typeof COORDINATE_ENDINGS)[number];

export interface Structure {
  /** Symbols. */
  readonly elements: readonly string[];
  /** In ångström. */
  readonly places: readonly (readonly [number, number, number])[];
  /** Indices of two atoms, and the order. */
  readonly bonds: readonly (readonly [one: number, other: number, order: number])[];
  /** Sum of the formal or partial charges; null if the format has none. */
  readonly charge: number | null;
}

function readEnding(fileName: string): Ending | null {
  const ending = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase();
  return COORDINATE_ENDINGS.find((one) => one === ending) ?? null;
}

/**
 * The atoms in a coordinate file (contract of the molecule service, 8): of the first model, 0 for a text without atoms,
 * null for a format that is not accepted.
 */
export function countAtoms(fileName: string, text: string): number | null {
  return readStructure(fileName, text)?.elements.length ?? null;
}

/** Null for a format that is not accepted. What cannot be read is left out: the engine decides whether it is enough. */
export function readStructure(fileName: string, text: string): Structure | null {
  const lines = text.split(/\r\n|\r|\n/);
  switch (readEnding(fileName)) {
    case 'pdb':
      return readPdb(lines);
    case 'mol2':
      return readMol2(lines);
    case null:
      return null;
    default:
      return (lines[3] ?? '').includes('V3000') ? readV3000(lines) : readV2000(lines);
  }
}

/** The element in a symbol or in the name or type of an atom: `CL1`, `C.3`; two letters are those of a halogen. */
function parseElement(text: string): string {
  const letters = /[A-Za-z]+/.exec(text)?.[0] ?? 'C';
  if (/^(cl|br|si|se)/i.test(letters))
    return letters.charAt(0).toUpperCase() + letters.charAt(1).toLowerCase();
  return letters.charAt(0).toUpperCase();
}

function placeIn(words: readonly string[]): [number, number, number] {
  const [x = 0, y = 0, z = 0] = words.map((word) => Number(word) || 0);
  return [x, y, z];
}

/** Atoms are numbered from 1; an aromatic bond is like a single one. */
function parseBond(one?: string, other?: string, order?: string): Structure['bonds'][number] {
  return [Number(one) - 1, Number(other) - 1, Number(order) || 1];
}

function readPdb(all: readonly string[]): Structure {
  // Further models repeat the same atoms.
  const end = all.findIndex((line) => line.startsWith('ENDMDL'));
  const atoms = (end < 0 ? all : all.slice(0, end)).filter((line) =>
    /^(ATOM {2}|HETATM)/.test(line),
  );
  const elements = atoms.map((line) =>
    parseElement(line.slice(76, 78).trim() || line.slice(12, 16)),
  );
  const places = atoms.map((line) =>
    placeIn([line.slice(30, 38), line.slice(38, 46), line.slice(46, 54)]),
  );
  return { elements, places, bonds: findBonds(elements, places), charge: null };
}

/** Covalent radii in ångström; others are like carbon. */
const RADII = new Map(
  Object.entries({
    H: 0.31,
    N: 0.71,
    O: 0.66,
    F: 0.57,
    P: 1.07,
    S: 1.05,
    Cl: 1.02,
    Br: 1.2,
    I: 1.39,
  }),
);
/** Of the sum of both radii; closer, two atoms are one that was written twice. */
const [CLOSE, FAR] = [0.4, 1.25];

function findBonds(
  elements: Structure['elements'],
  places: Structure['places'],
): Structure['bonds'] {
  const isBond = (one: number, other: number): boolean => {
    const [radius, another] = [one, other].map((atom) => RADII.get(elements[atom] ?? '') ?? 0.76);
    const [[x, y, z], [u, v, w]] = [places[one] ?? [0, 0, 0], places[other] ?? [0, 0, 0]];
    const length = Math.hypot(x - u, y - v, z - w) / ((radius ?? 0) + (another ?? 0));
    return length > CLOSE && length < FAR;
  };
  return places.flatMap((_, one) =>
    places.flatMap((__, other) =>
      other > one && isBond(one, other) ? [[one, other, 1] as const] : [],
    ),
  );
}

function readMol2(lines: readonly string[]): Structure {
  const rows = (section: string): string[][] => {
    const start = lines.findIndex((line) => line.trim() === `@<TRIPOS>${section}`);
    if (start < 0) return [];
    const rest = lines.slice(start + 1);
    const end = rest.findIndex((line) => line.startsWith('@<TRIPOS>'));
    return rest
      .slice(0, end < 0 ? rest.length : end)
      .filter((line) => line.trim() !== '')
      .map((line) => line.trim().split(/\s+/));
  };
  const atoms = rows('ATOM');
  return {
    elements: atoms.map((row) => parseElement(row[5] ?? row[1] ?? '')),
    places: atoms.map((row) => placeIn(row.slice(2, 5))),
    bonds: rows('BOND').map(([, one, other, order]) => parseBond(one, other, order)),
    charge: Math.round(atoms.reduce((sum, row) => sum + (Number(row[8]) || 0), 0)),
  };
}

/** The fourth line begins with both counts, in three columns each; so does each bond. */
function readV2000(lines: readonly string[]): Structure {
  const column = (line: string, n: number): number =>
    Number.parseInt(line.slice(3 * n, 3 * n + 3), 10) || 0;
  const counts = lines[3] ?? '';
  const atoms = lines.slice(4, 4 + column(counts, 0));
  const bonds = lines.slice(4 + atoms.length, 4 + atoms.length + column(counts, 1));
  const rest = lines.slice(4 + atoms.length + bonds.length);
  const charged = rest.filter((line) => line.startsWith('M  CHG'));
  // The older place of charges, which counts if there is no such line: 4 minus the charge.
  const old = atoms.map((line) => Number(line.slice(36, 39)) || 4).map((code) => 4 - code);
  const charges = charged.flatMap((line) =>
    line
      .trim()
      .split(/\s+/)
      .slice(3)
      .map(Number)
      .filter((_, n) => n % 2 === 1),
  );
  return {
    elements: atoms.map((line) => parseElement(line.slice(31, 34))),
    places: atoms.map((line) =>
      placeIn([line.slice(0, 10), line.slice(10, 20), line.slice(20, 30)]),
    ),
    bonds: bonds.map((line) => parseBond(line.slice(0, 3), line.slice(3, 6), line.slice(6, 9))),
    charge: (charged.length > 0 ? charges : old).reduce((sum, one) => sum + one, 0),
  };
}

/** `M  V30 3 C 1.2 0 0 0 CHG=1`; a line that ends with a hyphen goes on in the next. */
function readV3000(lines: readonly string[]): Structure {
  const text = lines.join('\n').replace(/-\nM {2}V30 /g, '');
  const rows = (block: string): string[][] => {
    const [, body = ''] =
      new RegExp(`BEGIN ${block}\n([^]*?)M {2}V30 END ${block}`).exec(text) ?? [];
    return body
      .split('\n')
      .slice(0, -1)
      .map((line) => line.trim().split(/\s+/).slice(2));
  };
  const atoms = rows('ATOM');
  const charges = [...text.matchAll(/ CHG=(-?\d+)/g)].map(([, charge]) => Number(charge));
  return {
    elements: atoms.map(([, symbol = '']) => parseElement(symbol)),
    places: atoms.map((row) => placeIn(row.slice(2, 5))),
    bonds: rows('BOND').map(([, order, one, other]) => parseBond(one, other, order)),
    charge: charges.reduce((sum, one) => sum + one, 0),
  };
}

/** Wedges of a drawing, as heights in ångström: chiral centres keep their configuration. */
const HEIGHT = 0.9;

/** A drawing in the V2000 format with all its hydrogens, whose bonds have wedges. */
export function raiseWedges(molblock: string): Structure {
  const lines = molblock.split('\n');
  const structure = readV2000(lines);
  const heights = new Map<number, number>();
  const first = 4 + structure.elements.length;
  const bonds = lines.slice(first, first + structure.bonds.length);
  for (const [n, line] of bonds.entries()) {
    const wedge = Number(line.slice(9, 12));
    const end = structure.bonds[n]?.[1] ?? -1;
    if (wedge === 1) heights.set(end, HEIGHT);
    if (wedge === 6) heights.set(end, -HEIGHT);
  }
  const places = structure.places.map(([x, y], atom) => [x, y, heights.get(atom) ?? 0] as const);
  return { ...structure, places };
}
