/** What is drawn, copied and exported of a molecule has its net charge, whatever the input says of bonds. */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openChemist } from '../../../src/inputs/molecules/rdkit.ts';
import { assignBondOrders } from '../../../src/results/bond-orders.ts';
import { molfileLines } from '../../../src/results/bonded-molecule.ts';
import type { MoleculeReading } from '../../../src/results/reading.ts';
import { formulaSource, portrait } from '../../../src/report/page/formula.ts';
import { bondedMolecule } from '../../../src/export/bonded-molecule.ts';
import { readItem } from '../../../src/store/item-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { moleculeEnd, resultCampaign } from '../tables/result-campaign.ts';
import { recordedMolecules } from '../../export/recorded.ts';

const chemist = openChemist({ threads: 1 });
afterAll(() => chemist.close());

const molecules = recordedMolecules();

interface Input {
  readonly name: string;
  readonly text: string;
}

/** As the report's page has it. */
async function drawn(recording: string, input: Input, reading: MoleculeReading) {
  const store = await resultCampaign([moleculeEnd('x', recording, { input })]);
  return drawnIn(store, 'x', reading);
}

async function drawnIn(store: Store, id: string, reading: MoleculeReading) {
  const record = await readItem(store, 'molecule', id);
  if (record === null) throw new Error(`${id} was not prepared`);
  return (await portrait(chemist, await formulaSource(store, record, reading))).formula;
}

async function readSmiles(smiles: string | null) {
  const read = smiles === null ? null : await chemist.readSmiles(smiles);
  if (read?.type !== 'molecule') throw new Error(`${String(smiles)} is not a SMILES`);
  return read;
}

/** Canonical, without configuration: coordinates have one even if the SMILES specifies none. */
async function flat(smiles: string | null): Promise<string> {
  const { canonical } = await readSmiles(smiles);
  return (await readSmiles(canonical.replace(/@+|[\\/]/g, ''))).canonical;
}

test('the drawing, the SMILES and the exports of every molecule have the charge of its result', async () => {
  const pdb = { name: 'input.pdb', text: 'ATOM' };
  const rows = molecules.flatMap((molecule, n) => [
    { ...molecule, row: `given-${n}`, input: molecule.input },
    { ...molecule, row: `pdb-${n}`, input: pdb },
  ]);
  const store = await resultCampaign(
    rows.map(({ row, id, input }) => moleculeEnd(row, id, { input })),
  );
  const smiles = new Map<string, Set<string>>();
  for (const { id, row, reading, input } of rows) {
    if (reading?.kind !== 'molecule') throw new Error(`${id} is unreadable`);
    const netCharge = Math.round(reading.charge);
    const { drawing, smiles: copied } = await drawnIn(store, row, reading);
    expect(drawing, id).not.toBeNull();
    const bonded = await bondedMolecule(reading, input, chemist);
    if ('code' in bonded) {
      expect([bonded.code, copied], id).toEqual(['HYDROGENS_MISSING', null]);
      continue;
    }
    expect(
      bonded.charges.reduce((sum, one) => sum + one, 0),
      id,
    ).toBe(netCharge);
    const found = smiles.get(id) ?? new Set();
    smiles.set(id, found);
    for (const one of [copied, bonded.smiles]) {
      expect((await readSmiles(one)).formalCharge, id).toBe(netCharge);
      found.add(await flat(one));
    }
  }
  // One of the recordings lacks hydrogens.
  expect(smiles.size).toBe(molecules.length - 1);
  for (const [id, found] of smiles) expect([...found], id).toHaveLength(1);
});

describe('derived bond orders are those of the molecule', () => {
  test.each([
    ['a carboxylate', '[O-]C(=O)CCC(=O)[O-]'],
    ['a phosphate', 'COP(=O)([O-])[O-]'],
    ['a phosphodiester', 'COP(=O)([O-])OC'],
    ['a nitro group', 'O=[N+]([O-])c1ccc([N+](=O)[O-])cc1'],
    ['an amidinium', 'CC(N)=[NH2+]'],
    ['a guanidinium', 'CNC(N)=[NH2+]'],
    ['a zwitterion', '[NH3+]CC(=O)[O-]'],
    ['arginine', 'NC(=[NH2+])NCCCC([NH3+])C(=O)[O-]'],
    ['a sulfonate', 'CS(=O)(=O)[O-]'],
    ['a pyridinium', 'c1cc[nH+]cc1'],
    ['a phenolate', '[O-]c1ccccc1'],
    ['an azide', 'CN=[N+]=[N-]'],
    ['a thiolate', 'CC[S-]'],
  ])('%s: %s', async (_, smiles) => {
    const graph = await chemist.readGraph(smiles);
    if (graph.type !== 'molecule') throw new Error(graph.reason);
    const bonding = assignBondOrders(graph, graph.formalCharge);
    const atoms = graph.elements.map((element, atom) => {
      const position = [atom, (atom * atom) % 7, (3 * atom) % 5] as const;
      return { element, name: element, type: '', charge: 0, mass: 0, position };
    });
    const lines = molfileLines('', { atoms, bonds: graph.bonds }, bonding);
    const found = await chemist.draw(lines.join('\n'));
    expect(found).toMatchObject({ type: 'drawn', formalCharge: graph.formalCharge });
    expect(await flat(found.type === 'drawn' ? found.smiles : null)).toBe(await flat(smiles));
  });
});

describe('the demo’s acetate', () => {
  const id = 'file-acetate_anion-bcc--1-gaff2';
  const item = molecules.find((one) => one.id === id);
  if (item?.reading?.kind !== 'molecule') throw new Error(id);
  const { reading } = item;

  test('given as PDB has one double bond and one charge', async () => {
    const text = await readFile('batches/demo/files/acetate_anion.pdb', 'utf8');
    const { smiles, words } = await drawn(id, { name: 'input.pdb', text }, reading);
    expect(smiles).toBe('CC(=O)[O-]');
    expect(words).toContain('input.pdb does not say which bonds are double');
  });

  test('given as Mol2 with single bonds is drawn as it is, not with two charges', async () => {
    const { files } = moleculeEnd('x', id);
    const [, gaff = ''] = Object.entries(files).find(([name]) => name.endsWith('.mol2')) ?? [];
    const text = gaff.replace(/ (c3|c|o|hc) +1 /g, (type) =>
      type.toUpperCase().replace(/C3|HC/, (two) => two[0] ?? ''),
    );
    expect(text).not.toMatch(/^\s*\d+\s+\d+\s+\d+\s+2\s*$/m);
    const { smiles, words } = await drawn(id, { name: 'input.mol2', text }, reading);
    expect(smiles).toBe('CC(=O)[O-]');
    expect(words).toContain('do not fit the net charge');
    const bonded = await bondedMolecule(reading, { name: 'input.mol2', text }, chemist);
    expect(bonded).toMatchObject({ smiles: 'CC(=O)[O-]', netCharge: -1 });
  });

  test('without fitting bond orders is drawn without charges, and its SMILES is not offered', async () => {
    const unknown = { ...reading, bonding: null };
    const pdb = { name: 'input.pdb', text: 'ATOM' };
    const { drawing, smiles, words } = await drawn(id, pdb, unknown);
    expect(drawing?.letters.map(({ text }) => text)).toEqual(['O', 'O']);
    expect([smiles, words]).toEqual([null, expect.stringContaining('without bond orders')]);
    expect(await bondedMolecule(unknown, pdb, chemist)).toMatchObject({
      code: 'BOND_ORDERS_UNKNOWN',
    });
  });
});

test('bond orders of the input are those of the export, where others would fit as well', async () => {
  const item = molecules.find((one) => one.id === 'smi-dimethyl_sulfoxide-bcc-auto-gaff2');
  if (item?.reading?.kind !== 'molecule') throw new Error('unreadable');
  const own = { name: 'input.smi', text: 'C[S+](C)[O-]' };
  expect(await bondedMolecule(item.reading, own, chemist)).toMatchObject({ smiles: own.text });
  const bonded = await bondedMolecule(item.reading, own, chemist);
  if ('code' in bonded) throw new Error(bonded.message);
  expect([...bonded.charges].filter((one) => one !== 0).sort()).toEqual([-1, 1]);
  expect(bonded.orders.every((one) => one === 1)).toBe(true);
});
