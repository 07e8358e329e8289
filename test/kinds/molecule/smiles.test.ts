import { describe, expect, test, vi } from 'vitest';
import type { MoleculeOptions } from '../../../src/kinds/vocabulary.ts';
import type { Finding } from '../../../src/kinds/kind.ts';
import { readSmilesInput } from '../../../src/kinds/molecule/input.ts';
import { chemist } from '../../../src/kinds/molecule/rdkit.ts';

const BCC: MoleculeOptions = {
  kind: 'molecule',
  chargeMethod: 'bcc',
  netCharge: null,
  atomType: 'gaff2',
};

async function findings(text: string, options = BCC): Promise<readonly Finding[]> {
  return (await readSmilesInput(text, options)).findings;
}

const codes = async (text: string, options = BCC): Promise<string[]> =>
  (await findings(text, options)).map(({ code }) => code);

const canonical = async (text: string): Promise<string> =>
  (await readSmilesInput(text, BCC)).canonical;

/** Where and why it is invalid. */
async function fault(text: string): Promise<string> {
  const [found] = await findings(text);
  if (!['SMILES_SYNTAX', 'SMILES_CHEMISTRY'].includes(found!.code)) return found!.code;
  const [, reason, position = 'null'] =
    /: (.*?)(?: \(character (\d+)\))?\.$/.exec(found!.message) ?? [];
  return `${found!.code.slice('SMILES_'.length)} ${position}: ${reason}`;
}

test.each([
  'C%(100)CC%(100)',
  'C[C@H]([NH3+])C(=O)[O-]',
  '[2H]OC',
  'C=1CCC=1',
  'c1ccc2[nH]ccc2c1',
  'O=N(=O)c1ccccc1',
  'C[S@](=O)N',
  'C1.C1',
])('%s is valid', async (text) => {
  expect(await findings(text)).toEqual([]);
});

describe('invalid SMILES are reported with the place', () => {
  test.each([
    ['', /^SYNTAX null: it is empty/],
    ['C1CC(', /^SYNTAX 5: a branch is never closed/],
    ['C1CC1C%12C', /^SYNTAX 7: a ring closure has no other end/],
    ['C11', /^SYNTAX null: a ring closure joins/],
    ['CCO ethanol', /^SYNTAX 4: it contains a blank/],
    ['(C)C', /^SYNTAX 1: a branch has no atom/],
    ['C==C', /^SYNTAX 3: a bond follows a bond/],
    ['C[', /^SYNTAX 2: a bracket is never closed/],
    ['C[Xx]', /^SYNTAX 3: the bracket does not hold one atom/],
    ['CCO>>CC=O', /^SYNTAX 4: it is a reaction/],
    ['C.', /^SYNTAX 2: a component is empty/],
    ['Cé', /^SYNTAX 2: the character "é"/],
  ])('%j', async (text, expected) => {
    expect(await fault(text)).toMatch(expected);
  });

  // RDKit accepts these, other readers reject them or read them differently.
  test.each(['C~C', 'C->[Fe]', '[#6]C', 'C$C', '{"a":1}', 'CCO |^1:0|'])('%s', async (text) => {
    expect(await fault(text)).toMatch(/^SYNTAX \d+/);
  });
});

describe('impossible molecules are reported with the atom', () => {
  test.each([
    ['CC(C)(C)(C)C', /^CHEMISTRY 2: C cannot have the valence 5/],
    ['Cc1cccc1', /^CHEMISTRY 2: the aromatic ring has no alternating/],
    ['Ccc', /^CHEMISTRY 2: an aromatic atom/],
    ['[CH200]', /^CHEMISTRY null: RDKit/],
  ])('%s', async (text, expected) => {
    expect(await fault(text)).toMatch(expected);
  });
});

describe('the contents of a SMILES', () => {
  test.each([
    ['CC(=O)[O-].[Na+]', ['SMILES_SEVERAL_COMPONENTS', 'MOLECULE_ELEMENT_UNSUPPORTED']],
    ['C1.C2.C12', []],
    ['O', []],
    ['[CH2]', ['SMILES_RADICAL']],
    // A hydrogen is missing in the bracket; RDKit drops the chirality and leaves an electron.
    ['C[C@](F)Cl', ['SMILES_RADICAL']],
  ])('%s', async (text, expected) => {
    expect(await codes(text)).toEqual(expected);
  });
});

describe('a net charge', () => {
  test.each([
    ['CCO', null, 'gas', []],
    ['CCO', 1, 'gas', ['SMILES_CHARGE_IGNORED']],
    ['CCO', 1, 'bcc', ['SMILES_CHARGE_DIFFERS']],
    ['CC(=O)[O-]', -1, 'bcc', []],
    ['CC(=O)[O-]', 0, 'bcc', ['SMILES_CHARGE_DIFFERS']],
    ['[O-]C(=O)CCC(=O)[O-]', -2, 'gas', []],
    ['C[C@H]([NH3+])C(=O)[O-]', 0, 'bcc', []],
  ] as const)('%s as %j with %s', async (text, netCharge, chargeMethod, expected) => {
    expect(await codes(text, { ...BCC, netCharge, chargeMethod })).toEqual(expected);
  });
});

describe('the canonical form', () => {
  test.each([
    ['OCC', 'CCO'],
    ['C[C@]([H])(N)C(=O)O', 'C[C@H](N)C(=O)O'],
    ['[O-][N+](=O)C', 'CN(=O)=O'],
    ['F\\C=C\\F', 'F/C=C/F'],
  ])('of %s is that of %s', async (one, other) => {
    expect(await canonical(one)).toBe(await canonical(other));
  });

  test.each([
    ['N[C@@H](C)C(=O)O', 'N[C@H](C)C(=O)O'],
    ['F/C=C/F', 'F/C=C\\F'],
    ['CC(=O)O', 'CC(=O)[O-]'],
    ['C', '[13CH4]'],
    // Tautomers are parameterised as drawn.
    ['CC(C)=O', 'CC(O)=C'],
  ])('of %s is not that of %s', async (one, other) => {
    expect(await canonical(one)).not.toBe(await canonical(other));
  });

  test('is not sent', async () => {
    const { input } = await readSmilesInput('OCC', BCC);
    expect(input).toEqual({ name: 'input.smi', text: 'OCC' });
  });
});

test('a SMILES without an answer from RDKit is refused', async () => {
  const reason = 'it was not read within 10 s';
  vi.spyOn(chemist, 'read').mockResolvedValueOnce({ type: 'unanswered', reason });
  const { findings: found } = await readSmilesInput('CCO', BCC);
  const message = `This SMILES could not be checked: ${reason}.`;
  expect(found).toMatchObject([{ code: 'SMILES_UNANSWERED', severity: 'error', message }]);
});
