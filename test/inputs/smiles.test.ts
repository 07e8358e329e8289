import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkNetCharge, readSmiles } from '../../src/inputs/smiles.ts';

function codes(text: string): string[] {
  return readSmiles(text).findings.map(({ code }) => code);
}

/** Where and why it is no SMILES. */
function fault(text: string): string | undefined {
  const [found] = readSmiles(text).findings;
  return found?.code === 'SMILES_SYNTAX'
    ? `${String(found.facts.position)}: ${found.facts.reason}`
    : undefined;
}

describe('SMILES that are whole', () => {
  test.each([
    'C',
    'CCO',
    'C#N',
    'c1ccccc1',
    'C%10CC%10',
    'C%(100)CC%(100)',
    'C[C@H]([NH3+])C(=O)[O-]',
    'N[C@@H](C)C(=O)O',
    'F/C=C/F',
    'F\\C=C\\F',
    '[13CH4]',
    '[2H]OC',
    '[CH3:1][OH:2]',
    'OP(=O)(O)OP(=O)(O)O',
    'C1CC2CCC1CC2',
    'C=1CCC1',
    'c1ccc2[nH]ccc2c1',
    'O=[N+]([O-])c1ccccc1',
    'CC(C)(C)C',
    'C[N+](C)(C)CCO',
    'C1=CC=CC=C1',
    '[nH]1cccc1',
    'C(C)1CC1',
  ])('%s', (text) => {
    expect(readSmiles(text).findings).toEqual([]);
  });
});

describe('SMILES that are not are told of with the place', () => {
  test.each([
    ['', /^1: it is empty/],
    ['C1CC(', /^5: a branch is never closed/],
    ['C1CC', /^2: ring closure 1 has no other end/],
    ['hello world', /^1: the character "h"/],
    ['CCO ethanol', /^4: a blank is no part/],
    ['CC)', /^3: a branch is closed/],
    ['C()C', /^3: a branch is empty/],
    ['(C)C', /^1: a branch has no atom/],
    ['C==C', /^3: a bond follows a bond/],
    ['CC=', /^3: a bond leads nowhere/],
    ['C(=)C', /^4: a bond leads nowhere/],
    ['=C', /^1: a bond has no atom/],
    ['1CC1', /^1: a ring closure has no atom/],
    ['C[', /^2: the bracket is never closed/],
    ['C]', /^2: a bracket is closed/],
    ['C[Xx]', /^2: Xx is no chemical element/],
    ['C[]C', /^2: \[\] is no atom/],
    ['CCO>>CC=O', /^4: it is a reaction/],
    ['C.', /^2: a component is empty/],
    ['.C', /^1: a component is empty/],
    ['Cé', /^2: the character "é"/],
  ])('%j', (text, expected) => {
    expect(fault(text)).toMatch(expected);
  });
});

describe('what a SMILES holds', () => {
  test.each([
    ['CC(=O)[O-].[Na+]', 2],
    ['C.C.C', 3],
    // A ring closure across the dot is a bond.
    ['C1.C1', 1],
    ['C1.C1.C', 2],
    ['C1.C2.C12', 1],
  ])('%s has %i components', (text, components) => {
    expect(readSmiles(text).components).toBe(components);
    expect(codes(text).includes('SMILES_SEVERAL_COMPONENTS')).toBe(components > 1);
  });

  test.each([
    ['CC(=O)[O-]', -1],
    ['[O-]C(=O)CCC(=O)[O-]', -2],
    ['[Fe+3]', 3],
    ['[Fe+++]', 3],
    ['[O--]', -2],
    ['C[C@H]([NH3+])C(=O)[O-]', 0],
    ['CCO', 0],
  ])('%s has a charge of %i', (text, charge) => {
    expect(readSmiles(text).formalCharge).toBe(charge);
  });

  test('wildcards, foreign elements and too many atoms are told of', () => {
    expect(codes('*CC')).toEqual(['SMILES_WILDCARD']);
    expect(codes('[*]CC')).toEqual(['SMILES_WILDCARD']);
    expect(codes('[Fe]')).toEqual(['MOLECULE_ELEMENT_UNSUPPORTED']);
    expect(codes('OB(O)c1ccccc1')).toEqual(['MOLECULE_ELEMENT_UNSUPPORTED']);
    expect(codes('C'.repeat(200))).toEqual([]);
    expect(codes('C'.repeat(201))).toEqual(['MOLECULE_TOO_MANY_ATOMS']);
  });
});

describe('a net charge that the SMILES does not have', () => {
  const ethanol = readSmiles('CCO');

  test.each([
    [null, 'gas', []],
    [0, 'gas', []],
    [1, 'gas', ['SMILES_CHARGE_IGNORED']],
    [1, 'bcc', ['SMILES_CHARGE_DIFFERS']],
  ] as const)('%j with %s', (charge, method, expected) => {
    expect(checkNetCharge(ethanol, charge, method).map(({ code }) => code)).toEqual(expected);
  });
});

test('any text at all is read in the end', () => {
  const pieces = fc.constantFrom(
    'C',
    'c',
    '1',
    '%10',
    '(',
    ')',
    '[',
    ']',
    '.',
    '=',
    '[O-]',
    '*',
    'Cl',
    ' ',
    '\0',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((parts) => parts.join('')),
      ),
      (text) => {
        const { components, findings, elements } = readSmiles(text);
        expect(components).toBeGreaterThan(0);
        expect(findings.length + elements.length).toBeGreaterThan(0);
      },
    ),
  );
});
