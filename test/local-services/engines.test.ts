/** The choice of an engine, the recorded engine (real outputs, byte by byte) and the synthetic one (the right shape). */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type {
  Engine,
  EngineContext,
  EngineJob,
  EngineOutcome,
  MoleculeJob,
} from '../../packages/local-services/src/engines/engine.ts';
import {
  RecordedEngine,
  loadIndex,
  readRecording,
} from '../../packages/local-services/src/engines/recorded.ts';
import { SyntheticEngine } from '../../packages/local-services/src/engines/synthetic.ts';
import { assignResultIds } from '../../packages/local-services/src/fasta.ts';
import { readComposition } from '../../src/kinds/molecule/input.ts';
import { chemist } from '../../src/kinds/molecule/rdkit.ts';
import { inferElement } from '../../src/kinds/molecule/element.ts';
import { readGro, readTopology, sumCharges } from '../../src/kinds/molecule/formats.ts';
import { acpypeRecording } from '../services/recordings.ts';
import { get, runMolecule, runSequence, start } from './running-services.ts';

const recorded = new RecordedEngine(() => 0, 'molecules');
const synthetic = new SyntheticEngine(() => 0);
const index = loadIndex();

async function run(engine: Engine, job: EngineJob): Promise<EngineOutcome> {
  const context: EngineContext = {
    signal: new AbortController().signal,
    heartbeatEveryMs: 1000,
    progress: () => undefined,
    heartbeat: () => undefined,
  };
  return engine.run(job, context);
}

/** The files of a job that must succeed. */
async function outputs(engine: Engine, job: EngineJob): Promise<Record<string, string>> {
  const outcome = await run(engine, job);
  if (!outcome.ok) throw new Error(`the job failed: ${outcome.message}`);
  return Object.fromEntries(
    outcome.outputs.map(({ name, body }) => [name, Buffer.from(body).toString()]),
  );
}

function molecule(more: Partial<MoleculeJob>): MoleculeJob {
  const input = { smiles: null, inputFile: null, fileName: 'x' };
  const options = { chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' };
  return { kind: 'molecule', ...input, ...options, ...more };
}

function sequence(fasta: string, ...predictors: string[]): EngineJob {
  return { kind: 'sequence', fasta, predictors, unknownPredictors: [] };
}

describe('the choice', () => {
  beforeEach(() => void vi.stubEnv('HUNDREDFOLD_ENGINES', '/nowhere'));
  afterEach(() => void vi.unstubAllEnvs());

  test('a missing real engine is reported at the start', async () => {
    await expect(start({ engine: 'real' })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_FAILED',
      remedy: expect.stringContaining('npm run engines -- --only acpype'),
    });
  });

  test.each([
    ['installed', 'recorded, acpype 2023.10.27', 'recorded, b2bTools 3.0.9'],
    ['synthetic', 'synthetic, 1', 'synthetic, 1'],
  ] as const)('a job is told its engine: %s is %s', async (engine, ofMolecule, ofSequence) => {
    const services = await start({ engine });
    const { result } = await runMolecule(services);
    expect(result.body.log.split('\n')[0]).toBe(`engine: ${ofMolecule}`);
    const { url } = await runSequence(services);
    const { history } = (await get(`${url}history/`)).body;
    expect(history[0]).toMatchObject({ state: 'RUNNING', message: `engine: ${ofSequence}` });
  });
});

describe('the recorded engine', () => {
  test('takes automatic charge and the number that it gives as one job', async () => {
    const aspirin = molecule({ smiles: 'CC(=O)Oc1ccccc1C(=O)O' });
    const asNumber = await outputs(recorded, { ...aspirin, netCharge: 0 });
    expect(await outputs(recorded, aspirin)).toEqual(asNumber);
    for (const { what, options, files } of index.recordings) {
      if (files.job === undefined) continue;
      const { smiles, log, ok } = JSON.parse(readRecording(files.job).toString()) as {
        readonly smiles: string | null;
        readonly ok: boolean;
        readonly log: string;
      };
      const charge = /charge set to (-?\d+)/.exec(log)?.[1];
      if (!ok || smiles === null || charge === undefined) continue;
      const [chargeMethod = '', , atomType = ''] = options.split('/');
      const asked = (netCharge: number): Promise<EngineOutcome> =>
        run(recorded, molecule({ smiles, chargeMethod, atomType, netCharge }));
      expect(await asked(Number(charge)), what).toMatchObject({ ok: true });
      expect(await asked(Number(charge) + 2), what).toMatchObject({ ok: false });
    }
    for (const smiles of ['C[N+](C)(C)CCO', '[O-]C(=O)CCC(=O)[O-]', 'NC(N)=[NH2+]']) {
      expect(await run(recorded, molecule({ smiles })), smiles).toMatchObject({ ok: true });
    }
  });

  test('returns the recorded bytes, whatever line ends the input has', async () => {
    const path = new URL('../../batches/demo/files/caffeine.pdb', import.meta.url);
    const inputFile = readFileSync(path, 'utf8');
    const asIs = await outputs(recorded, molecule({ inputFile }));
    const crlf = molecule({ inputFile: inputFile.replaceAll('\n', '\r\n') });
    expect(await outputs(recorded, crlf)).toEqual(asIs);
    const { results } = acpypeRecording('file-caffeine-bcc-auto-gaff2');
    expect(JSON.parse(asIs['result'] ?? '')).toEqual(results);
  });

  test('names sequences by the headers of the job, and changes nothing else', async () => {
    const residues =
      'SGHLLLLLGLLTLWAELTPVSGAAKYCKLPLRIGPCKRKIPSFYYKWKAKQCLPFDYSGCGGNANRFKTIEECRRTCVG';
    const predictors = ['dynamine', 'disomine', 'efoldmine', 'agmata'];
    const header =
      'sp|P00981|IVBKI_DENPO Dendrotoxin-K (Fragment) OS=Dendroaspis polylepis polylepis PE=1 SV=2';
    const own = await outputs(recorded, sequence(`>${header}\n${residues}`, ...predictors));
    const bytes = readRecording('b2btools/single/one-IVBKI_DENPO-all4.json.gz').toString();
    expect(own['result']).toBe(bytes);
    const job = sequence(`>my "toxin", v.2\n${residues}`, ...predictors);
    const renamed = await outputs(recorded, job);
    const [id] = assignResultIds([header]);
    const name = 'my_"toxin"__v2';
    const expected = bytes.replace(`${JSON.stringify(id)}:`, `${JSON.stringify(name)}:`);
    expect(renamed['result']).toBe(expected);
    for (const table of ['csv', 'metadata']) {
      const [, ...rows]: string[][] = parse(renamed[table] ?? '');
      expect(new Set(rows.map((row) => row[0])), table).toEqual(new Set([name]));
    }
  });

  test.each([
    ['sp|P12345|TEST_ONE with spaces. and dots.v2', 'sp_P12345_TEST_ONE_with_spaces_and_dotsv2'],
    ['a,b;c:d=e', 'a_b;c:d=e'],
    ['  leading space', 'leading_space'],
    ['../../etc/passwd', '//etc/passwd'],
  ])('%s becomes the id %s, as b2bTools makes it', (header, id) => {
    expect(assignResultIds([header, header])).toEqual([id, `${id}_2`]);
  });

  test.each<[what: string, Partial<MoleculeJob>, message: RegExp]>([
    ['failed in the engine', { smiles: 'C[CH2]' }, /ACPYPE FAILED|unexpected error/],
    ['failed in the engine', { smiles: '[Fe]' }, /ACPYPE FAILED/],
    ['is unknown', { smiles: 'CCCCCCCCCCCCCO' }, /^No recording for this input: /],
    [
      'is known with other options',
      { smiles: 'CCO', chargeMethod: 'gas', atomType: 'amber' },
      /gas\/auto\/amber.*bcc\/auto\/gaff2/,
    ],
  ])('an input that %s fails with a message: %o', async (_what, more, message) => {
    const seen = expect.stringMatching(message);
    expect(await run(recorded, molecule(more))).toMatchObject({ ok: false, message: seen });
  });
});

describe('the synthetic engine', () => {
  const hetatm = (name: string, n: number): string =>
    `HETATM${String(n + 1).padStart(5)}  ${name}  LIG     1      10.000  10.000  10.000  1.00  0.00           ${name.charAt(0)}`;
  const star =
    'data_1\nloop_\n  _Entity_comp_index.ID\n  _Entity_comp_index.Comp_ID\n  _Entity_comp_index.Entity_ID\n  1 GLY 1\n  2 TRP 1\n  3 MSE 1\nstop_\n';
  const shifts = { kind: 'shifts', modelClass: '1', originalNumbering: true } as const;
  const alignment = { kind: 'alignment', fasta: '>a\nMK-L\n>b\nM--L\n>c\nMKV-\n' } as const;

  test.each<EngineJob>([
    molecule({ smiles: 'CC(=O)[O-]', fileName: 'acetate' }),
    molecule({ inputFile: ['C1', 'O1', 'H1'].map(hetatm).join('\n'), fileName: 'my ligand.pdb' }),
    sequence('>a b\nMKVL\n>a b\nMKV\n', 'psper'),
    alignment,
    { ...shifts, text: star, format: 'nmr-star' },
  ])('labels every payload of a $kind as synthetic', async (job) => {
    for (const [name, text] of Object.entries(await outputs(synthetic, job))) {
      expect(text.toLowerCase(), name).toContain('synthetic');
      expect(text, name).not.toMatch(/NaN|undefined/);
    }
  });

  const folder = new URL('../../batches/demo/files/', import.meta.url);
  const read = (name: string): [string, string] => [
    name,
    readFileSync(new URL(name, folder), 'utf8'),
  ];
  const v3000 =
    '\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 4 3 0 0 0\nM  V30 BEGIN ATOM\nM  V30 1 O 0 0 0 0 -\nM  V30 CHG=1\nM  V30 2 H 1 0 0 0\nM  V30 3 H -1 0 0 0\nM  V30 4 H 0 1 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 2 1 1 3\nM  V30 3 1 1 4\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n';

  test.each<[name: string, text: string, charge: number]>([
    ['a.smi', 'C[C@H](N)C(=O)O', 0],
    ['a.smi', 'C/C=C\\Cl', 0],
    ['a.smi', 'OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O', 0],
    ['a.smi', '[O-]C(=O)CCC(=O)[O-]', -2],
    ['a.sdf', v3000, 1],
    [...read('thiazole.mdl'), 0],
    [...read('caffeine.pdb'), 0],
    [...read('uracil.mol2'), 0],
    [...read('ibuprofen.sdf'), 0],
  ])('makes the atoms, bonds, configuration and charge of %s %s', async (name, text, charge) => {
    const input = await readComposition({ name, text });
    const own = name.endsWith('.smi') ? { smiles: text } : { inputFile: text, fileName: name };
    const { result = '' } = await outputs(synthetic, molecule(own));
    const { GMX_itp = '', GMX_gro = '' } = JSON.parse(result) as Record<string, string>;
    const [topology, placed] = [readTopology(GMX_itp), readGro(GMX_gro)];
    if (!topology || typeof placed === 'string' || !input?.molecule)
      throw new Error('it cannot be read');
    const { atoms, bonds } = topology;
    const elements = atoms.map((atom) => inferElement(atom.mass, '', atom.name));
    expect(elements.toSorted()).toEqual(input.elements.toSorted());
    const places = placed.atoms.map(({ place }) => place);
    const made = { elements, bonds, places };
    expect(await chemist.compare(input.molecule, made)).toMatchObject({ difference: null });
    expect(sumCharges(topology.atoms)).toBe(charge);
  });
});
