/** One case per code is in test/goldens/invalid.txt; here is what each format says, and the limits. */
import { describe, expect, test } from 'vitest';
import { readStructureInput, type MoleculeExtension } from '../../../src/kinds/molecule/input.ts';
import { readMol2, readMolfile, readPdb } from '../../../src/kinds/molecule/formats.ts';
import type { Structure } from '../../../src/kinds/molecule/structure.ts';

const codes = ({ findings }: Structure): string[] => findings.map(({ code }) => code);
const elements = ({ atoms }: Structure): string[] => atoms.map(({ element }) => element);
const times = (count: number, symbol: string): string[] => Array<string>(count).fill(symbol);

/** Of the whole check, including everything that does not depend on the format. */
async function checked(
  text: string,
  extension: MoleculeExtension,
  netCharge: number | null = null,
): Promise<string[]> {
  const options = { kind: 'molecule', chargeMethod: 'bcc', netCharge, atomType: 'gaff2' } as const;
  const { findings } = await readStructureInput(text, extension, options);
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
    ['CA', 'C'],
    [' N', 'N'],
  ])('and from the name %j if they are blank', (name, element) => {
    expect(elements(readPdb(pdb(atom(name, ''))))).toEqual([element]);
  });

  const model = `MODEL        1\n${atom('O1', 'O')}\nENDMDL\n`;
  const alternate = (at: string) => atom('C1', 'C', { alternate: at });
  test.each([
    ['one model', model, []],
    ['two models', model + model, ['MOLECULE_SEVERAL']],
    [
      'a water',
      pdb(atom('C1', 'C'), atom('O', 'O', { residue: 'HOH A 201' })),
      ['MOLECULE_SEVERAL_RESIDUES'],
    ],
    ['a broken line', pdb(atom('C1', 'C').slice(0, 40)), ['MOLECULE_MALFORMED']],
    ['an atom in two places', pdb(alternate('A'), alternate('B')), ['MOLECULE_SEVERAL']],
    ['an atom in one of two places', pdb(alternate('A')), []],
  ])('%s', (_, text, expected) => {
    expect(codes(readPdb(text))).toEqual(expected);
  });
});

/** Of six atoms, with every other bond double. */
const RING = [1, 2, 3, 4, 5, 6].map((n): BondLine => [n, (n % 6) + 1, (n % 2) + 1]);

describe('MDL', () => {
  const V3000 =
    'x\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\n' +
    'M  V30 BEGIN ATOM\nM  V30 1 O 0 0 0 0\nM  V30 2 H 1 0 0 0\nM  V30 END ATOM\n' +
    'M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n';
  const hydroxide = molfile(['O', 'H'], [[1, 2, 1]]);

  test('elements and bonds come from V2000, V3000 and SD files', () => {
    for (const text of [hydroxide, `${hydroxide}$$$$\n`, V3000]) {
      const read = readMolfile(text);
      expect([elements(read), read.bonds, codes(read)]).toEqual([['O', 'H'], [[0, 1]], []]);
    }
  });

  test.each([
    ['cut in its atoms', hydroxide.split('\n').slice(0, 5).join('\n'), 'MOLECULE_MALFORMED'],
    ['cut in its bonds', hydroxide.split('\n').slice(0, 6).join('\n'), 'MOLECULE_MALFORMED'],
    ['with a bond to nothing', molfile(['O', 'H'], [[1, 3, 1]]), 'MOLECULE_MALFORMED'],
    ['with such a bond in V3000', V3000.replace('1 1 1 2', '1 1 1 3'), 'MOLECULE_MALFORMED'],
    ['of two records', `${hydroxide}$$$$\n${hydroxide}$$$$\n`, 'MOLECULE_SEVERAL'],
    ['that is a web page', '<html>\n<body>\nNot\nFound\n', 'MOLECULE_MALFORMED'],
  ])('a file %s is reported', (_, text, code) => {
    expect(codes(readMolfile(text))).toEqual([code]);
  });

  /** Bonds of atom 1 to the following ones. */
  const star = (others: number): BondLine[] =>
    Array.from({ length: others }, (_, n) => [1, n + 2, 1] as const);
  /** Without the hydrogen of its oxygen. */
  const methanol = ['C', 'O', 'H', 'H', 'H'];
  const methanolate = molfile(methanol, star(4), [[2, -1]]);
  const several = [...star(4), [6, 7, 1], [6, 8, 1]] as const;
  const MISSING = 'MOLECULE_HYDROGENS_MISSING';

  test.each([
    ['methane', molfile(['C', ...times(4, 'H')], star(4)), null, []],
    ['methane without a hydrogen', molfile(['C', ...times(3, 'H')], star(3)), null, [MISSING]],
    ['benzene without hydrogens', molfile(times(6, 'C'), RING), null, [MISSING]],
    ['CCl4, which has no hydrogens', molfile(['C', ...times(4, 'Cl')], star(4)), null, []],
    ['chloroform without H', molfile(['C', ...times(3, 'Cl')], star(3)), null, [MISSING]],
    ['methanolate, its charge written', methanolate, null, []],
    ['methanolate, its charge written', methanolate, 1, ['MOLECULE_CHARGE_DIFFERS']],
    ['methanol or methanolate', molfile(methanol, star(4)), null, ['MOLECULE_VALENCES_OPEN']],
    ['methanolate by its net charge', molfile(methanol, star(4)), -1, []],
    ['methanol by its charge', molfile(methanol, star(4)), 0, ['MOLECULE_ELECTRONS_ODD', MISSING]],
    [
      'methane and water',
      molfile(['C', ...times(4, 'H'), 'O', 'H', 'H'], several),
      null,
      ['MOLECULE_SEVERAL_COMPONENTS'],
    ],
    ['atoms without any bond', molfile(['O', 'H', 'H']), null, []],
    ['five bonds at carbon', molfile(['C', ...times(5, 'H')], star(5)), 1, []],
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
  const hydroxide = mol2(['O.3', 'H']);

  test('elements come from the atom types', () => {
    const read = readMol2(mol2(['C.ar', 'O.2', 'Cl', 'H']));
    expect([elements(read), read.bonds]).toEqual([['C', 'O', 'Cl', 'H'], [[0, 1]]]);
    expect(codes(read)).toEqual([]);
  });

  test.each([
    ['two molecules', hydroxide + hydroxide, 'MOLECULE_SEVERAL'],
    ['two residues', hydroxide.replace('UNL1', 'HOH2'), 'MOLECULE_SEVERAL_RESIDUES'],
    ['a dummy', mol2(['Du']), 'MOLECULE_MALFORMED'],
    ['a bond to nothing', mol2(['O.3', 'H'], '1 1 3 1\n'), 'MOLECULE_MALFORMED'],
  ])('%s are reported', (_, text, code) => {
    expect(codes(readMol2(text))).toEqual([code]);
  });

  test('reports parts that are not bonded to each other', async () => {
    const bonds = '1 1 2 1\n2 1 3 1\n';
    const parts = mol2(['O.3', 'H', 'H', 'Cl'], bonds);
    expect(await checked(parts, '.mol2', -1)).toEqual(['MOLECULE_SEVERAL_COMPONENTS']);
    expect(await checked(mol2(['O.3', 'H', 'H'], bonds), '.mol2')).toEqual([]);
  });
});

describe('a molecule', () => {
  test.each([
    ['CO2', ['O', 'C', 'O'], null, ['MOLECULE_HYDROGENS_DOUBTFUL']],
    ['sulfur hexafluoride', ['S', ...times(6, 'F')], null, []],
    ['heavy water', ['O', 'D', 'D'], null, []],
    ['200 atoms', [...times(2, 'C'), ...times(198, 'H')], null, []],
    ['201 atoms', ['C', ...times(200, 'H')], null, ['MOLECULE_TOO_MANY_ATOMS']],
    ['ammonium', ['N', ...times(4, 'H')], 1, []],
    ['ammonium as neutral', ['N', ...times(4, 'H')], 0, ['MOLECULE_ELECTRONS_ODD']],
  ] as const)('%s', async (_, symbols, netCharge, expected) => {
    expect(await checked(molfile(symbols), '.mol', netCharge)).toEqual(expected);
  });

  test.each([
    [0, ['MOLECULE_ATOMS_TOO_CLOSE']],
    [0.499, ['MOLECULE_ATOMS_TOO_CLOSE']],
    [0.501, []],
    [2.999, []],
    [3.001, ['MOLECULE_ATOM_FAR']],
  ])('with two atoms at a distance of %d', async (x, expected) => {
    expect(await checked(pdb(atom('H1', 'H'), atom('F1', 'F', { x })), '.pdb')).toEqual(expected);
  });
});
