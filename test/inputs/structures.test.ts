import { afterAll, describe, expect, test } from 'vitest';
import type { MoleculeOptions } from '../../src/domain/item.ts';
import { readStructureInput, type MoleculeExtension } from '../../src/inputs/molecules/molecule.ts';
import { readMol2 } from '../../src/inputs/molecules/mol2.ts';
import { readMolfile } from '../../src/inputs/molecules/molfile.ts';
import { readPdb } from '../../src/inputs/molecules/pdb.ts';
import { openChemist } from '../../src/inputs/molecules/rdkit.ts';
import type { Structure } from '../../src/inputs/molecules/structure.ts';

const chemist = openChemist();
afterAll(() => chemist.close());

function codes({ findings }: Structure): string[] {
  return findings.map(({ code }) => code);
}

function elements({ atoms }: Structure): string[] {
  return atoms.map(({ element }) => element);
}

/** Of the whole check, including everything that does not depend on the format. */
async function checked(
  text: string,
  extension: MoleculeExtension,
  netCharge: number | null = null,
): Promise<string[]> {
  const options: MoleculeOptions = {
    kind: 'molecule',
    chargeMethod: 'bcc',
    netCharge,
    atomType: 'gaff2',
  };
  const { findings } = await readStructureInput(text, extension, options, chemist);
  return findings.map(({ code }) => code);
}

interface AtomRecord {
  readonly residue?: string;
  readonly alternate?: string;
  readonly x?: number;
}

/** One HETATM record; `element` goes into columns 77-78. */
function atom(
  name: string,
  element: string,
  { residue = 'LIG     1', alternate = ' ', x = 0 }: AtomRecord = {},
): string {
  const place = `    ${x.toFixed(3).padStart(8)}   1.000  -2.000  1.00  0.00`;
  return `HETATM    1 ${name.padEnd(4)}${alternate}${residue.padEnd(9)}${place}          ${element.padStart(2)}`;
}

function pdb(...atoms: readonly string[]): string {
  return `COMPND    X\n${atoms.join('\n')}\nEND\n`;
}

/** Atoms 1 Å apart in rows of ten: near enough, and never too close. */
function place(index: number): readonly number[] {
  return [index % 10, Math.floor(index / 10) % 10, Math.floor(index / 100)];
}

type BondLine = readonly [one: number, other: number, order: number];

function molfile(
  symbols: readonly string[],
  bonds: readonly BondLine[] = [],
  charges: readonly (readonly [atom: number, charge: number])[] = [],
): string {
  const counts = [symbols, bonds].map(({ length }) => String(length).padStart(3)).join('');
  const column = (value: number): string => value.toFixed(4).padStart(10);
  const lines = [
    ...symbols.map((one, n) => `${place(n).map(column).join('')} ${one.padEnd(3)} 0  0`),
    ...bonds.map((bond) => bond.map((value) => String(value).padStart(3)).join('')),
    ...charges.map(
      ([one, charge]) => `M  CHG  1 ${String(one).padStart(3)} ${String(charge).padStart(3)}`,
    ),
  ];
  return `x\n  y\n\n${counts}  0  0  0  0  0  0  0  0999 V2000\n${lines.join('\n')}\nM  END\n`;
}

describe('PDB', () => {
  test('elements come from columns 77-78', () => {
    const read = readPdb(pdb(atom('C1', 'C'), atom('CL1', 'CL'), atom('H1', 'H')));
    expect([elements(read), codes(read)]).toEqual([['C', 'Cl', 'H'], []]);
    expect(read.atoms[0]?.place).toEqual([0, 1, -2]);
  });

  test.each([
    [' C1 ', 'C'],
    ['CL1', 'Cl'],
    ['1H2', 'H'],
    ['HG1', 'H'],
    ['BR', 'Br'],
    ['CA', 'C'],
    [' N', 'N'],
  ])('and from the name %j if they are blank', (name, element) => {
    expect(elements(readPdb(pdb(atom(name, ''))))).toEqual([element]);
  });

  test('models, residues and broken lines are reported', () => {
    const model = `MODEL        1\n${atom('O1', 'O')}\nENDMDL\n`;
    expect(codes(readPdb(model))).toEqual([]);
    expect(codes(readPdb(model + model))).toEqual(['MOLECULE_SEVERAL']);
    expect(elements(readPdb(model + model))).toEqual(['O']);
    const water = pdb(atom('C1', 'C'), atom('H1', 'H'), atom('O', 'O', { residue: 'HOH A 201' }));
    expect(codes(readPdb(water))).toEqual(['MOLECULE_SEVERAL_RESIDUES']);
    expect(codes(readPdb(pdb(atom('C1', 'C').slice(0, 40))))).toEqual(['MOLECULE_MALFORMED']);
    const twice = pdb(atom('C1', 'C', { alternate: 'A' }), atom('C1', 'C', { alternate: 'B' }));
    expect(codes(readPdb(twice))).toEqual(['MOLECULE_SEVERAL']);
    expect(codes(readPdb(pdb(atom('C1', 'C', { alternate: 'A' }))))).toEqual([]);
    expect(codes(readPdb('this is no PDB\n'))).toEqual(['MOLECULE_NO_ATOMS']);
  });
});

const RING: readonly BondLine[] = [
  [1, 2, 2],
  [2, 3, 1],
  [3, 4, 2],
  [4, 5, 1],
  [5, 6, 2],
  [6, 1, 1],
];

describe('MDL', () => {
  const V3000 =
    'x\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\n' +
    'M  V30 BEGIN ATOM\nM  V30 1 O 0 0 0 0\nM  V30 2 H 1 0 0 0\nM  V30 END ATOM\n' +
    'M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n';

  test('V2000, V3000 and SD files', () => {
    const water = readMolfile(molfile(['O', 'H', 'H'], [[1, 2, 1], [1, 3, 1]])); // prettier-ignore
    expect([elements(water), water.bonds, codes(water)]).toEqual([['O', 'H', 'H'], [[0, 1], [0, 2]], []]); // prettier-ignore
    expect(codes(readMolfile(`${molfile(['O'])}$$$$\n`))).toEqual([]);
    const hydroxide = readMolfile(V3000);
    expect([elements(hydroxide), hydroxide.bonds, codes(hydroxide)]).toEqual([['O', 'H'], [[0, 1]], []]); // prettier-ignore
  });

  test('files that are truncated, have several records or have no record are reported', () => {
    const cut = molfile(['O', 'H'], [[1, 2, 1]]).split('\n');
    for (const line of [5, 6]) {
      expect(codes(readMolfile(cut.slice(0, line).join('\n')))).toEqual(['MOLECULE_MALFORMED']);
    }
    expect(codes(readMolfile(molfile(['O', 'H'], [[1, 3, 1]])))).toEqual(['MOLECULE_MALFORMED']);
    expect(codes(readMolfile(V3000.replace('1 1 1 2', '1 1 1 3')))).toEqual(['MOLECULE_MALFORMED']);
    expect(codes(readMolfile(`${molfile(['O'])}$$$$\n${molfile(['O'])}$$$$\n`))).toEqual([
      'MOLECULE_SEVERAL',
    ]);
    expect(codes(readMolfile('x\n'))).toEqual(['MOLECULE_NO_ATOMS']);
    expect(codes(readMolfile(molfile([])))).toEqual(['MOLECULE_NO_ATOMS']);
    expect(codes(readMolfile('<html>\n<body>\nNot\nFound\n'))).toEqual(['MOLECULE_MALFORMED']);
  });

  /** Bonds of atom 1 to the following ones. */
  const star = (others: number): BondLine[] =>
    Array.from({ length: others }, (_, n) => [1, n + 2, 1] as const);
  const methanol = ['C', 'O', 'H', 'H', 'H'];

  test.each([
    ['methane', molfile(['C', 'H', 'H', 'H', 'H'], star(4)), null, []],
    [
      'methane without a hydrogen',
      molfile(['C', 'H', 'H', 'H'], star(3)),
      null,
      ['MOLECULE_HYDROGENS_MISSING'],
    ],
    [
      'benzene without any hydrogen',
      molfile(times(6, 'C'), RING),
      null,
      ['MOLECULE_HYDROGENS_MISSING'],
    ],
    ['CCl4, which has no hydrogens', molfile(['C', 'Cl', 'Cl', 'Cl', 'Cl'], star(4)), null, []],
    [
      'chloroform without its hydrogen',
      molfile(['C', 'Cl', 'Cl', 'Cl'], star(3)),
      null,
      ['MOLECULE_HYDROGENS_MISSING'],
    ],
    [
      'CO2',
      molfile(
        ['C', 'O', 'O'],
        [
          [1, 2, 2],
          [1, 3, 2],
        ],
      ),
      null,
      [],
    ],
    ['methanolate, its charge written', molfile(methanol, star(4), [[2, -1]]), null, []],
    ['methanolate, its charge written', molfile(methanol, star(4), [[2, -1]]), -1, []],
    [
      'methanolate, its charge written',
      molfile(methanol, star(4), [[2, -1]]),
      1,
      ['MOLECULE_CHARGE_DIFFERS'],
    ],
    ['methanol or methanolate', molfile(methanol, star(4)), null, ['MOLECULE_VALENCES_OPEN']],
    ['methanolate by its net charge', molfile(methanol, star(4)), -1, []],
    [
      'methanol by its net charge',
      molfile(methanol, star(4)),
      0,
      ['MOLECULE_ELECTRONS_ODD', 'MOLECULE_HYDROGENS_MISSING'],
    ],
    [
      'methane and water',
      molfile(['C', 'H', 'H', 'H', 'H', 'O', 'H', 'H'], [...star(4), [6, 7, 1], [6, 8, 1]]),
      null,
      ['MOLECULE_SEVERAL_COMPONENTS'],
    ],
    ['atoms without any bond', molfile(['O', 'H', 'H']), null, []],
    ['five bonds at carbon', molfile(['C', 'H', 'H', 'H', 'H', 'H'], star(5)), 1, []],
  ] as const)('%s, net charge $2', async (_, text, netCharge, expected) => {
    expect(await checked(text, '.mol', netCharge)).toEqual(expected);
  });
});

describe('Mol2', () => {
  const mol2 = (types: readonly string[], bonds = '1 1 2 1\n', residue = 'UNL1'): string => {
    const atoms = types.map(
      (type, n) => `${String(n + 1)} A ${place(n).join(' ')} ${type} 1 ${residue} 0.0`,
    );
    return `@<TRIPOS>MOLECULE\nx\n\n@<TRIPOS>ATOM\n${atoms.join('\n')}\n@<TRIPOS>BOND\n${bonds}`;
  };

  test('elements come from the atom types', () => {
    const read = readMol2(mol2(['C.ar', 'O.2', 'Cl', 'H']));
    expect([elements(read), read.bonds, codes(read)]).toEqual([['C', 'O', 'Cl', 'H'], [[0, 1]], []]); // prettier-ignore
  });

  test('several molecules or residues, dummies, broken bonds and missing ones are reported', () => {
    const water = mol2(['O.3', 'H']);
    expect(codes(readMol2(water + water))).toEqual(['MOLECULE_SEVERAL']);
    const residues = water.replace('UNL1', 'HOH2');
    expect(codes(readMol2(residues))).toEqual(['MOLECULE_SEVERAL_RESIDUES']);
    expect(codes(readMol2(mol2(['Du'])))).toEqual(['MOLECULE_MALFORMED']);
    expect(codes(readMol2(mol2(['O.3', 'H'], '1 1 3 1\n')))).toEqual(['MOLECULE_MALFORMED']);
    expect(codes(readMol2('x\n'))).toEqual(['MOLECULE_NO_ATOMS']);
  });

  test('reports parts that are not bonded to each other', async () => {
    expect(await checked(mol2(['O.3', 'H', 'H', 'Cl'], '1 1 2 1\n2 1 3 1\n'), '.mol2', -1)).toEqual(
      ['MOLECULE_SEVERAL_COMPONENTS'],
    );
    expect(await checked(mol2(['O.3', 'H', 'H'], '1 1 2 1\n2 1 3 1\n'), '.mol2')).toEqual([]);
  });
});

function times(count: number, symbol: string): string[] {
  return Array<string>(count).fill(symbol);
}

describe('a molecule', () => {
  test.each([
    ['benzene without hydrogens', times(6, 'C'), null, ['MOLECULE_NO_HYDROGENS']],
    ['CO2', ['O', 'C', 'O'], null, ['MOLECULE_HYDROGENS_DOUBTFUL']],
    ['CCl4', ['C', 'Cl', 'Cl', 'Cl', 'Cl'], null, ['MOLECULE_HYDROGENS_DOUBTFUL']],
    ['sulfur hexafluoride', ['S', ...times(6, 'F')], null, []],
    ['heavy water', ['O', 'D', 'D'], null, []],
    ['a boronic acid', ['B', 'O', 'H'], null, ['MOLECULE_ELEMENT_UNSUPPORTED']],
    ['200 atoms', [...times(2, 'C'), ...times(198, 'H')], null, []],
    ['201 atoms', ['C', ...times(200, 'H')], null, ['MOLECULE_TOO_MANY_ATOMS']],
    ['chloride', ['Cl'], -1, ['MOLECULE_SINGLE_ATOM']],
    ['ammonium without a charge', ['N', ...times(4, 'H')], null, ['MOLECULE_CHARGE_UNSAID']],
    ['ammonium', ['N', ...times(4, 'H')], 1, []],
    ['ammonium as neutral', ['N', ...times(4, 'H')], 0, ['MOLECULE_ELECTRONS_ODD']],
  ] as const)('%s', async (_, symbols, netCharge, expected) => {
    expect(await checked(molfile(symbols), '.mol', netCharge)).toEqual(expected);
  });

  test.each([
    ['at the smallest distance that is accepted', 0.501, []],
    ['closer than the smallest accepted distance', 0.499, ['MOLECULE_ATOMS_TOO_CLOSE']],
    ['at the same place', 0, ['MOLECULE_ATOMS_TOO_CLOSE']],
    ['at the largest distance that is accepted', 2.999, []],
    ['farther apart than the largest accepted distance', 3.001, ['MOLECULE_ATOM_FAR']],
  ])('with two atoms %s', async (_, x, expected) => {
    expect(await checked(pdb(atom('H1', 'H'), atom('F1', 'F', { x })), '.pdb')).toEqual(expected);
  });
});
