/** Items for tests, as read from a manifest. */
import type { Item } from '../../src/domain/campaign.ts';
import type { Predictor } from '../../src/kinds/vocabulary.ts';

export function aMolecule(id: string, changes: Partial<Item> = {}): Item {
  return {
    id,
    kind: 'molecule',
    options: { kind: 'molecule', chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' },
    input: { name: 'input.smi', text: 'CCO\n' },
    canonical: `smiles of ${id}`,
    email: null,
    title: null,
    source: { file: 'batch.csv', line: 2 },
    row: { id, kind: 'molecule', smiles: 'CCO' },
    user: {},
    ...changes,
  };
}

export function aSequence(id: string, changes: Partial<Item> = {}): Item {
  return {
    id,
    kind: 'sequence',
    options: { kind: 'sequence', predictors: ['dynamine', 'psper'] },
    input: { name: 'input.fasta', text: '>x\nMKVLAAGIVGLCAKAYWDEF\n' },
    canonical: `residues of ${id}`,
    email: 'lab@example.org',
    title: null,
    source: { file: 'batch.csv', line: 3 },
    row: { id: '', kind: 'sequence', file: 'files/x.fasta', project: 'screen' },
    user: { project: 'screen' },
    ...changes,
  };
}

/** The `n`th sequence, the same for every caller. */
export function aSequenceOf(id: string, n: number, predictors: readonly Predictor[]): Item {
  return aSequence(id, {
    options: { kind: 'sequence', predictors },
    canonical: `residues ${n}`,
    input: { name: 'input.fasta', text: `>x\nMKV${'A'.repeat(n)}\n` },
    row: { id, kind: 'sequence', predictors: predictors.join() },
  });
}
