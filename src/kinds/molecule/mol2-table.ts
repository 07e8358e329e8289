/** Converts the bonds of a Mol2 file with their orders to a connection table for RDKit. */

const ORDERS: Readonly<Record<string, number>> = { '1': 1, '2': 2, '3': 3, am: 1, ar: 4 };
/** MDL's number for an aromatic bond. */
const AROMATIC = 4;

interface OrderedBond {
  /** From 1. */
  readonly one: number;
  readonly other: number;
  readonly order: number;
}

/**
 * An MDL molfile (V2000) without coordinates. `elements`: a symbol for each atom, in the file's order. Mol2 has no
 * formal charges: they follow from the bonds, because all hydrogens are listed. Null if there are no bonds, or bonds
 * without order.
 */
export function mol2Table(elements: readonly string[], mol2: string): string | null {
  const bonds = bondsOf(mol2);
  if (bonds === null || bonds.length === 0 || elements.length > 999 || bonds.length > 999)
    return null;
  if (bonds.some(({ one, other }) => Math.max(one, other) > elements.length)) return null;
  const charges = elements.flatMap((element, atom) => {
    const charge = formalCharge(
      element,
      bonds.filter(({ one, other }) => [one, other].includes(atom + 1)),
    );
    return charge === 0 ? [] : [`M  CHG  1${width(atom + 1, 4)}${width(charge, 4)}`];
  });
  return [
    ...[
      '',
      '',
      '',
      `${width(elements.length, 3)}${width(bonds.length, 3)}  0  0  0  0  0  0  0  0999 V2000`,
    ],
    ...elements.map((element) => `${'    0.0000'.repeat(3)} ${element.padEnd(3)} 0  0`),
    ...bonds.map(
      ({ one, other, order }) => `${width(one, 3)}${width(other, 3)}${width(order, 3)}  0`,
    ),
    ...[...charges, 'M  END', ''],
  ].join('\n');
}

function width(number: number, columns: number): string {
  return String(number).padStart(columns);
}

function bondsOf(mol2: string): readonly OrderedBond[] | null {
  const [, section = ''] = mol2.split(/@<TRIPOS>BOND[^\n]*\n/, 2);
  const lines = (section.split('@<TRIPOS>', 1)[0] ?? '').split('\n').filter((line) => line.trim());
  const bonds: OrderedBond[] = [];
  for (const line of lines) {
    const [, one, other, kind] = line.trim().split(/\s+/);
    const order = ORDERS[kind ?? ''];
    if (order === undefined || !(Number(one) > 0) || !(Number(other) > 0)) return null;
    bonds.push({ one: Number(one), other: Number(other), order });
  }
  return bonds;
}

/** Bonds of a neutral atom. */
const VALENCE: Readonly<Record<string, number>> = {
  N: 3,
  O: 2,
  F: 1,
  Cl: 1,
  Br: 1,
  I: 1,
};

/** For ring atoms with aromatic bonds, RDKit determines it itself; sulfur and phosphorus add bonds in pairs. */
function formalCharge(element: string, bonds: readonly OrderedBond[]): number {
  if (bonds.some(({ order }) => order === AROMATIC)) return 0;
  const sum = bonds.reduce((total, { order }) => total + order, 0);
  const valence = VALENCE[element];
  if (valence !== undefined) return sum - valence;
  if (element === 'S' && sum % 2 === 1) return sum === 1 ? -1 : 1;
  return element === 'P' && sum === 4 ? 1 : 0;
}
