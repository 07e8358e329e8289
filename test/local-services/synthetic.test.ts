/** The synthetic engine: the right shape, the same for the same input, labelled, and never NaN. */
import { describe, expect, test } from 'vitest';
import type { EngineContext, EngineJob } from '../../src/local-services/engines/engine.ts';
import type { Body } from './running-services.ts';
import { SyntheticEngine } from '../../src/local-services/engines/synthetic.ts';

const engine = new SyntheticEngine(() => 0);
const context: EngineContext = {
  signal: new AbortController().signal,
  heartbeatEveryMs: 1000,
  progress: () => undefined,
  heartbeat: () => undefined,
};

async function outputs(job: EngineJob): Promise<Record<string, string>> {
  const outcome = await engine.run(job, context);
  if (!outcome.ok) throw new Error(outcome.message);
  return Object.fromEntries(
    outcome.outputs.map(({ name, body }) => [name, Buffer.from(body).toString()]),
  );
}

/** The parsed result of a prediction. */
async function result(job: EngineJob): Promise<Pick<Body, 'proteins' | 'sequences'>> {
  return JSON.parse((await outputs(job))['result'] ?? '') as Body;
}

const MOLECULE = {
  kind: 'molecule',
  smiles: null,
  inputFile: null,
  chargeMethod: 'bcc',
  netCharge: null,
  atomType: 'gaff2',
} as const;
const PDB = ['C1', 'C2', 'O1', 'H1', 'H2']
  .map(
    (name, n) =>
      `HETATM${String(n + 1).padStart(5)}  ${name}  LIG     1      10.000  10.000  10.000  1.00  0.00           ${name.charAt(0)}`,
  )
  .join('\n');
const NMR_STAR = `data_1
loop_
  _Entity_comp_index.ID
  _Entity_comp_index.Comp_ID
  _Entity_comp_index.Entity_ID
  1 GLY 1
  2 TRP 1
  3 MSE 1
stop_
`;

const JOBS: readonly EngineJob[] = [
  { ...MOLECULE, smiles: 'CC(=O)[O-]', fileName: 'acetate' },
  { ...MOLECULE, inputFile: PDB, fileName: 'my ligand.pdb' },
  {
    kind: 'sequence',
    fasta: '>a b\nMKVL\n>a b\nMKV\n',
    predictors: ['psper'],
    unknownPredictors: [],
  },
  { kind: 'alignment', fasta: '>a\nMK-L\n>b\nM--L\n>c\nMKV-\n' },
  { kind: 'shifts', text: NMR_STAR, format: 'nmr-star', modelClass: '1', originalNumbering: true },
];

describe('every payload', () => {
  test.each(JOBS.map((job) => [job.kind, job] as const))(
    'of a %s is labelled as synthetic',
    async (_, job) => {
      for (const [name, text] of Object.entries(await outputs(job))) {
        expect(text.toLowerCase(), name).toContain('synthetic');
        expect(text, name).not.toContain('NaN');
        expect(text, name).not.toContain('undefined');
      }
    },
  );
});

describe('predictions', () => {
  test('of an alignment have null at gaps and ordered distributions', async () => {
    const { proteins, sequences } = await result(JOBS[3]!);
    expect(sequences['b']).toEqual(['M', '-', '-', 'L']);
    const gaps = proteins['b']?.['backbone']?.map((value) => value === null);
    expect(gaps).toEqual([false, true, true, false]);
    const { results } = JSON.parse((await outputs(JOBS[3]!))['distributions'] ?? '') as {
      results: { backbone: Record<string, number[]> };
    };
    const names = ['bottomOutlier', 'firstQuartile', 'median', 'thirdQuartile', 'topOutlier'];
    for (let n = 0; n < 4; n += 1) {
      const column = names.map((name) => results.backbone[name]?.[n] ?? Number.NaN);
      expect(column).toEqual([...column].sort((x, y) => x - y));
    }
  });

  test('of shifts fail when the text names no residues', async () => {
    const job: EngineJob = {
      kind: 'shifts',
      text: 'a letter',
      format: null,
      modelClass: '1',
      originalNumbering: true,
    };
    expect(await engine.run(job, context)).toMatchObject({ ok: false });
  });
});
