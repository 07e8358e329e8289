import rdkit from '@rdkit/rdkit';
import { describe, expect, test } from 'vitest';
import type { Chemist } from '../../../src/kinds/molecule/chemist.ts';
import { openChemist, type ChemistOptions } from '../../../src/kinds/molecule/rdkit.ts';

async function withChemist(
  work: (chemist: Chemist) => Promise<void>,
  options?: ChemistOptions,
): Promise<void> {
  const chemist = openChemist(options);
  try {
    await work(chemist);
  } finally {
    await chemist.close();
  }
}

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
    await withChemist(async (chemist) => {
      const smiles = drugLikeSmiles(500);
      const read = await Promise.all(smiles.map((one) => chemist.readSmiles(one)));
      const again = await Promise.all([...smiles].reverse().map((one) => chemist.readSmiles(one)));
      expect(read).toEqual(again.reverse());
      expect(read.every(({ type }) => type === 'molecule')).toBe(true);
    });
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
    await withChemist(async (chemist) => {
      for (const smiles of [...drugLikeSmiles(500), ...marked]) {
        expect(await chemist.readSmiles(smiles)).toMatchObject({ canonical: plain(smiles) });
      }
    });
  });

  test.each([
    ['takes too long on', ENDLESS, /not read within 2 s/],
    ['crashes on', DEADLY, /crashed/],
  ])('that %s one molecule still answers requests for all others', async (_, bad, reason) => {
    await withChemist(
      async (chemist) => {
        const smiles = drugLikeSmiles(300);
        const asked = [...smiles.slice(0, 100), bad, ...smiles.slice(100)];
        const read = await Promise.all(asked.map((one) => chemist.readSmiles(one)));
        const lost = read.filter(({ type }) => type !== 'molecule');
        expect(lost).toEqual([{ type: 'unanswered', reason: expect.stringMatching(reason) }]);
        expect(read[100]).toBe(lost[0]);
        expect((await chemist.readSmiles('OCC')).type).toBe('molecule');
      },
      { timeLimitMs: 2_000 },
    );
  });

  test('that is closed rejects open requests, and accepts no new ones', async () => {
    const chemist = openChemist();
    const open = drugLikeSmiles(100).map((one) => chemist.readSmiles(one));
    const settled = Promise.allSettled(open);
    await chemist.close();
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
    await expect(chemist.readSmiles('C')).rejects.toThrow('closed');
  });
});
