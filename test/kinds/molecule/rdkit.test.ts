import rdkit from '@rdkit/rdkit';
import { describe, expect, test } from 'vitest';
import { chemist, openChemist } from '../../../src/kinds/molecule/rdkit.ts';

/** Atom 1 bonded to itself a hundred thousand times: RDKit works on it for minutes. */
const ENDLESS = `C${'1'.repeat(200_000)}`;
/** Different chains and rings with one hetero atom. */
function drugLikeSmiles(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const atom = ['N', 'O', 'S', 'C(F)', 'C(=O)', 'C(Cl)'][at % 6] ?? '';
    return `c1ccccc1${'C'.repeat(at % 17)}${atom}${'C'.repeat(1 + (Math.floor(at / 17) % 60))}`;
  });
}

/** A call that is impossible in TypeScript, and crashes every thread. */
const DEADLY = undefined as unknown as string;

describe('a chemist', () => {
  test('gives each request its own answer, whatever the batch', async () => {
    const smiles = drugLikeSmiles(500);
    const read = await Promise.all(smiles.map((one) => chemist.read(one)));
    const again = await Promise.all([...smiles].reverse().map((one) => chemist.read(one)));
    expect(read).toEqual(again.reverse());
    expect(read.every(({ type }) => type === 'molecule')).toBe(true);
  });

  test('writes the same canonical SMILES as RDKit without a time limit', async () => {
    const RDKit = await rdkit.default();
    const plain = (smiles: string): string | undefined => {
      const molecule = RDKit.get_mol(smiles);
      const canonical = molecule?.get_smiles();
      molecule?.delete();
      return canonical;
    };
    const marked = ['C[C@H](C)C', 'F/C(F)=C/F', 'C[C@H]1CC[C@@H](C)CC1', '[H]/C(F)=C/F', 'CC=C/C'];
    for (const smiles of [...drugLikeSmiles(500), ...marked]) {
      expect(await chemist.read(smiles)).toMatchObject({ canonical: plain(smiles) });
    }
  });

  test.each([
    ['takes too long on', ENDLESS, /not read within 2 s/],
    ['crashes on', DEADLY, /crashed/],
  ])('that %s one molecule still answers requests for all others', async (_, bad, reason) => {
    const hasty = openChemist(2_000);
    const smiles = drugLikeSmiles(300);
    const asked = [...smiles.slice(0, 100), bad, ...smiles.slice(100)];
    const read = await Promise.all(asked.map((one) => hasty.read(one)));
    const lost = read.filter(({ type }) => type !== 'molecule');
    expect(lost).toEqual([{ type: 'unanswered', reason: expect.stringMatching(reason) }]);
    expect(read[100]).toBe(lost[0]);
    expect((await hasty.read('OCC')).type).toBe('molecule');
  });
});
