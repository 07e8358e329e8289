import { describe, expect, test } from 'vitest';
import { readMol2 } from '../../src/inputs/mol2.ts';
import { readMolfile } from '../../src/inputs/molfile.ts';
import { readPdb } from '../../src/inputs/pdb.ts';
import type { Structure } from '../../src/inputs/structure.ts';

function codes({ findings }: Structure): string[] {
  return findings.map(({ code }) => code);
}

/** One HETATM record; `element` goes into columns 77-78. */
function atom(name: string, element: string, residue = 'LIG     1'): string {
  const place = '      0.000   1.000  -2.000  1.00  0.00';
  return `HETATM    1 ${name.padEnd(4)} ${residue.padEnd(9)} ${place}          ${element.padStart(2)}`;
}

function pdb(...atoms: readonly string[]): string {
  return `COMPND    X\n${atoms.join('\n')}\nEND\n`;
}

function molfile(...symbols: readonly string[]): string {
  const count = String(symbols.length).padStart(3);
  const atoms = symbols.map((one) => `    0.0000    1.0000   -2.0000 ${one.padEnd(3)} 0  0`);
  return `x\n  y\n\n${count}  0  0  0  0  0  0  0  0  0999 V2000\n${atoms.join('\n')}\nM  END\n`;
}

describe('PDB', () => {
  test('elements come from columns 77-78', () => {
    expect(readPdb(pdb(atom('C1', 'C'), atom('CL1', 'CL'), atom('H1', 'H')))).toEqual({
      elements: ['C', 'Cl', 'H'],
      findings: [],
    });
  });

  test.each([
    [' C1 ', 'C'],
    ['CL1', 'Cl'],
    ['1H2', 'H'],
    ['HG1', 'H'],
    ['BR', 'Br'],
    ['CA', 'C'],
    [' N', 'N'],
  ])('and from the name %j where they are blank', (name, element) => {
    expect(readPdb(pdb(atom(name, ''))).elements).toEqual([element]);
  });

  test('models, residues and broken lines are told of', () => {
    const model = `MODEL        1\n${atom('O1', 'O')}\nENDMDL\n`;
    expect(codes(readPdb(model))).toEqual([]);
    expect(codes(readPdb(model + model))).toEqual(['MOLECULE_SEVERAL']);
    expect(readPdb(model + model).elements).toEqual(['O']);
    const water = pdb(atom('C1', 'C'), atom('H1', 'H'), atom('O', 'O', 'HOH A 201'));
    expect(codes(readPdb(water))).toEqual(['MOLECULE_SEVERAL_RESIDUES']);
    expect(codes(readPdb(pdb(atom('C1', 'C').slice(0, 40))))).toEqual(['MOLECULE_MALFORMED']);
    expect(codes(readPdb('this is no PDB\n'))).toEqual(['MOLECULE_NO_ATOMS']);
  });
});

describe('MDL', () => {
  test('V2000, V3000 and SD files', () => {
    expect(readMolfile(molfile('O', 'H', 'H'))).toEqual({
      elements: ['O', 'H', 'H'],
      findings: [],
    });
    expect(codes(readMolfile(`${molfile('O')}$$$$\n`))).toEqual([]);
    const v3000 =
      'x\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\n' +
      'M  V30 BEGIN ATOM\nM  V30 1 O 0 0 0 0\nM  V30 2 H 1 0 0 0\nM  V30 END ATOM\nM  END\n';
    expect(readMolfile(v3000)).toEqual({ elements: ['O', 'H'], findings: [] });
  });

  test('files that are cut off, hold several records or none are told of', () => {
    expect(codes(readMolfile(molfile('O', 'H').split('\n').slice(0, 5).join('\n')))).toEqual([
      'MOLECULE_MALFORMED',
    ]);
    expect(codes(readMolfile(`${molfile('O')}$$$$\n${molfile('O')}$$$$\n`))).toEqual([
      'MOLECULE_SEVERAL',
    ]);
    expect(codes(readMolfile('x\n'))).toEqual(['MOLECULE_NO_ATOMS']);
    expect(codes(readMolfile(molfile()))).toEqual(['MOLECULE_NO_ATOMS']);
    expect(codes(readMolfile('<html>\n<body>\nNot\nFound\n'))).toEqual(['MOLECULE_MALFORMED']);
  });
});

describe('Mol2', () => {
  const mol2 = (...types: readonly string[]): string =>
    `@<TRIPOS>MOLECULE\nx\n\n@<TRIPOS>ATOM\n${types
      .map((type, index) => `${String(index + 1)} A 0.0 1.0 -2.0 ${type} 1 UNL1 0.0`)
      .join('\n')}\n@<TRIPOS>BOND\n1 1 2 1\n`;

  test('elements come from the atom types', () => {
    expect(readMol2(mol2('C.ar', 'O.2', 'Cl', 'H'))).toEqual({
      elements: ['C', 'O', 'Cl', 'H'],
      findings: [],
    });
  });

  test('several molecules, dummies and none are told of', () => {
    expect(codes(readMol2(mol2('O.3') + mol2('O.3')))).toEqual(['MOLECULE_SEVERAL']);
    expect(codes(readMol2(mol2('Du')))).toEqual(['MOLECULE_MALFORMED']);
    expect(codes(readMol2('x\n'))).toEqual(['MOLECULE_NO_ATOMS']);
  });
});

describe('a molecule', () => {
  const of = (...symbols: readonly string[]): string[] => codes(readMolfile(molfile(...symbols)));
  const times = (count: number, symbol: string): string[] => Array<string>(count).fill(symbol);

  test.each([
    ['benzene without hydrogens', times(6, 'C'), ['MOLECULE_NO_HYDROGENS']],
    ['CO2', ['O', 'C', 'O'], ['MOLECULE_HYDROGENS_DOUBTFUL']],
    ['CCl4', ['C', 'Cl', 'Cl', 'Cl', 'Cl'], ['MOLECULE_HYDROGENS_DOUBTFUL']],
    ['sulfur hexafluoride', ['S', ...times(6, 'F')], []],
    ['heavy water', ['O', 'D', 'D'], []],
    ['a boronic acid', ['B', 'O', 'H'], ['MOLECULE_ELEMENT_UNSUPPORTED']],
    ['200 atoms', ['C', ...times(199, 'H')], []],
    ['201 atoms', ['C', ...times(200, 'H')], ['MOLECULE_TOO_MANY_ATOMS']],
  ])('%s', (_, symbols, expected) => {
    expect(of(...symbols)).toEqual(expected);
  });
});
