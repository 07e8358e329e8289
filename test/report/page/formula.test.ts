import { expect, test } from 'vitest';
import { chemist } from '../../../src/kinds/molecule/rdkit.ts';
import { assignBondOrders, findMissingHydrogens } from '../../../src/kinds/molecule/bonding.ts';
import { writeMolfile } from '../../../src/kinds/molecule/formats.ts';
import type { MoleculeReading } from '../../../src/kinds/molecule/reading.ts';
import { drawPortrait } from '../../../src/report/page/formula.ts';
import { assignBonds } from '../../../src/export/molecules.ts';
import { readItem } from '../../../src/store/item-store.ts';
import { buildItemKey } from '../../../src/store/layout.ts';
import type { Store } from '../../../src/store/store.ts';
import { aMolecule } from '../../store/an-item.ts';
import { resultCampaign } from '../tables/result-campaign.ts';
import { recordedMolecules } from '../../export/recorded.ts';

const molecules = recordedMolecules();

/** As the report's page has it. */
async function drawnIn(store: Store, id: string, reading: MoleculeReading) {
  const record = await readItem(store, 'molecule', id);
  if (record === null) throw new Error(`${id} was not prepared`);
  const input = await store.readText(buildItemKey('molecule', id, record.input.name));
  const texts = new Map(input === null ? [] : [[record.input.name, input]]);
  const portrait = await drawPortrait(record, reading, texts);
  if (portrait === null) throw new Error(`${id} is no molecule`);
  return portrait.formula;
}

async function readSmiles(smiles: string | null) {
  const read = smiles === null ? null : await chemist.read(smiles);
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
  // Their files are not read.
  const store = await resultCampaign(
    rows.map(({ row, input }) => ({ item: aMolecule(row, { input }), files: {} })),
  );
  const smiles = new Map<string, Set<string>>();
  for (const { id, row, reading, input } of rows) {
    if (reading?.kind !== 'molecule') throw new Error(`${id} is unreadable`);
    const netCharge = Math.round(reading.charge);
    const { drawing, smiles: copied } = await drawnIn(store, row, reading);
    expect(drawing, id).not.toBeNull();
    if (findMissingHydrogens(reading) !== null) {
      const refused = expect(assignBonds({ reading, input }), id).rejects;
      await refused.toMatchObject({ code: 'HYDROGENS_MISSING' });
      expect(copied, id).toBeNull();
      continue;
    }
    const bonded = await assignBonds({ reading, input });
    const sum = bonded.charges.reduce((total, one) => total + one, 0);
    expect(sum, id).toBe(netCharge);
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

test.each([
  ['a carboxylate', '[O-]C(=O)CCC(=O)[O-]'],
  ['a phosphate', 'COP(=O)([O-])[O-]'],
  ['a nitro group', 'O=[N+]([O-])c1ccc([N+](=O)[O-])cc1'],
  ['an amidinium', 'CC(N)=[NH2+]'],
  ['a zwitterion', '[NH3+]CC(=O)[O-]'],
  ['arginine', 'NC(=[NH2+])NCCCC([NH3+])C(=O)[O-]'],
  ['a sulfonate', 'CS(=O)(=O)[O-]'],
  ['a pyridinium', 'c1cc[nH+]cc1'],
  ['an azide', 'CN=[N+]=[N-]'],
  ['a thiolate', 'CC[S-]'],
])('derived bond orders of %s are those of the molecule: %s', async (_, smiles) => {
  const graph = await chemist.read(smiles);
  if (graph.type !== 'molecule') throw new Error(graph.reason);
  const bonding = assignBondOrders(graph, graph.formalCharge);
  const atoms = graph.elements.map((element, atom) => {
    const position = [atom, (atom * atom) % 7, (3 * atom) % 5] as const;
    return { element, name: element, type: '', charge: 0, mass: 0, position };
  });
  const found = await chemist.draw(writeMolfile('', { atoms, bonds: graph.bonds }, bonding));
  expect(found).toMatchObject({ type: 'drawn', formalCharge: graph.formalCharge });
  expect(await flat(found.type === 'drawn' ? found.smiles : null)).toBe(await flat(smiles));
});

function recordedReading(id: string): MoleculeReading {
  const reading = molecules.find((one) => one.id === id)?.reading;
  if (reading?.kind !== 'molecule') throw new Error(id);
  return reading;
}

test('bond orders of the input are those of the export, where others would fit as well', async () => {
  const own = { name: 'input.smi', text: 'C[S+](C)[O-]' };
  const reading = recordedReading('smi-dimethyl_sulfoxide-bcc-auto-gaff2');
  const bonded = await assignBonds({ reading, input: own });
  expect(bonded.smiles).toBe(own.text);
  expect([...bonded.charges].filter((one) => one !== 0).sort()).toEqual([-1, 1]);
  expect(bonded.orders.every((one) => one === 1)).toBe(true);
});
