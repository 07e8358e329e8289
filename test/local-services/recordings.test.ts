/** The recorded engine: real outputs for known inputs, byte by byte, and errors for others. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../src/local-services/engines/canonical.ts';
import type {
  EngineContext,
  EngineJob,
  EngineOutcome,
} from '../../src/local-services/engines/engine.ts';
import {
  RecordedEngine,
  loadIndex,
  readRecording,
} from '../../src/local-services/engines/recorded.ts';
import { resultIds } from '../../src/local-services/fasta.ts';

const PROJECT = new URL('../../', import.meta.url);
interface Recorded {
  readonly smiles: string | null;
  readonly ok: boolean;
  readonly log: string;
}

const index = loadIndex();
const engine = new RecordedEngine(() => 0, 'molecules');

const context: EngineContext = {
  signal: new AbortController().signal,
  heartbeatEveryMs: 1000,
  progress: () => undefined,
  heartbeat: () => undefined,
};

async function run(job: EngineJob): Promise<EngineOutcome> {
  return engine.run(job, context);
}

function molecule(more: Partial<Extract<EngineJob, { kind: 'molecule' }>>): EngineJob {
  return {
    kind: 'molecule',
    smiles: null,
    inputFile: null,
    fileName: 'x',
    chargeMethod: 'bcc',
    netCharge: null,
    atomType: 'gaff2',
    ...more,
  };
}

function sequence(fasta: string, predictors: readonly string[]): EngineJob {
  return { kind: 'sequence', fasta, predictors, unknownPredictors: [] };
}

function output(outcome: EngineOutcome, name: string): string {
  if (!outcome.ok) throw new Error(`the job failed: ${outcome.message}`);
  const found = outcome.outputs.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return Buffer.from(found.body).toString();
}

describe('the index', () => {
  test('names existing files with the right contents', () => {
    for (const { what, kind, files, failure } of index.recordings) {
      for (const [name, file] of Object.entries(files)) {
        const text = readRecording(file).toString();
        expect(text, `${what} ${name}`).not.toBe('');
        if (name !== 'job' || kind !== 'molecule') continue;
        const recorded = JSON.parse(text) as { ok: boolean; log: string; results: object };
        expect(recorded.ok, what).toBe(failure === undefined);
        expect(Object.keys(recorded.results), what).toHaveLength(failure === undefined ? 19 : 0);
      }
    }
  });

  test('finds every recorded sequence by its residues', () => {
    const single = index.recordings.filter((entry) => entry.files.result?.includes('/single/'));
    expect(single.length).toBeGreaterThan(30);
    for (const { files, what, input, options } of single) {
      const { proteins } = JSON.parse(readRecording(files.result ?? '').toString()) as {
        proteins: Record<string, { seq: string[] }>;
      };
      const fasta = Object.entries(proteins).map(([id, { seq }]) => `>${id}\n${seq.join('')}\n`);
      const found = canonical(sequence(fasta.join(''), options.split('+')));
      expect(found, what).toEqual({ kind: 'sequence', input, options });
    }
  });
});

describe('known inputs', () => {
  test.each(['C[CH2]', '[Fe]'])(
    'that failed in the engine fail with its message: %s',
    async (smiles) => {
      const outcome = await run(molecule({ smiles }));
      expect(outcome).toMatchObject({ ok: false });
      if (!outcome.ok) expect(outcome.message).toMatch(/ACPYPE FAILED|unexpected error/);
    },
  );

  test('may ask for automatic charge or for the number that it gives', async () => {
    const aspirin = 'CC(=O)Oc1ccccc1C(=O)O';
    const asNumber = await run(molecule({ smiles: aspirin, netCharge: 0 }));
    expect(output(await run(molecule({ smiles: aspirin })), 'result')).toBe(
      output(asNumber, 'result'),
    );
    for (const { what, options, files } of index.recordings) {
      if (files.job === undefined) continue;
      const { smiles, log, ok } = JSON.parse(readRecording(files.job).toString()) as Recorded;
      const charge = /charge set to (-?\d+)/.exec(log)?.[1];
      if (!ok || smiles === null || charge === undefined) continue;
      const [chargeMethod = '', , atomType = ''] = options.split('/');
      const asked = (netCharge: number): Promise<EngineOutcome> =>
        run(molecule({ smiles, chargeMethod, atomType, netCharge }));
      expect(await asked(Number(charge)), what).toMatchObject({ ok: true });
      expect(await asked(Number(charge) + 2), what).toMatchObject({ ok: false });
    }
    for (const smiles of ['C[N+](C)(C)CCO', '[O-]C(=O)CCC(=O)[O-]', 'NC(N)=[NH2+]']) {
      expect(await run(molecule({ smiles })), smiles).toMatchObject({ ok: true });
    }
  });

  test('return the recorded bytes, whatever line ends the input has', async () => {
    const file = readFileSync(new URL('batches/demo/files/caffeine.pdb', PROJECT), 'utf8');
    const asIs = await run(molecule({ inputFile: file }));
    const crlf = await run(molecule({ inputFile: file.replaceAll('\n', '\r\n') }));
    expect(output(crlf, 'result')).toBe(output(asIs, 'result'));
    const recorded = JSON.parse(
      gunzipSync(
        readFileSync(
          new URL(
            'src/local-services/recordings/acpype/file-caffeine-bcc-auto-gaff2.json.gz',
            PROJECT,
          ),
        ),
      ).toString(),
    ) as { results: object };
    expect(JSON.parse(output(asIs, 'result'))).toEqual(recorded.results);
  });
});

describe('ids of sequences', () => {
  const residues =
    'SGHLLLLLGLLTLWAELTPVSGAAKYCKLPLRIGPCKRKIPSFYYKWKAKQCLPFDYSGCGGNANRFKTIEECRRTCVG';
  const four = ['dynamine', 'disomine', 'efoldmine', 'agmata'];

  test('come from the headers of the job, and the values are the recorded bytes', async () => {
    const header =
      'sp|P00981|IVBKI_DENPO Dendrotoxin-K (Fragment) OS=Dendroaspis polylepis polylepis PE=1 SV=2';
    const own = output(await run(sequence(`>${header}\n${residues}`, four)), 'result');
    expect(own).toBe(readRecording('b2btools/single/one-IVBKI_DENPO-all4.json.gz').toString());
    const [id] = resultIds([header]);
    const renamed = await run(sequence(`>my "toxin", v.2\n${residues}`, four));
    expect(output(renamed, 'result')).toBe(
      own.replace(`${JSON.stringify(id)}:`, `${JSON.stringify('my_"toxin"__v2')}:`),
    );
    for (const name of ['csv', 'metadata']) {
      const rows: string[][] = parse(output(renamed, name));
      expect(new Set(rows.slice(1).map((row) => row[0])), name).toEqual(
        new Set(['my_"toxin"__v2']),
      );
    }
  });

  test('follow the observed rules of the engine', () => {
    expect(
      resultIds([
        'sp|P12345|TEST_ONE with spaces. and dots.v2',
        'a,b;c:d=e',
        'dup',
        'dup',
        '  leading space',
        '../../etc/passwd',
      ]),
    ).toEqual([
      'sp_P12345_TEST_ONE_with_spaces_and_dotsv2',
      'a_b;c:d=e',
      'dup',
      'dup_2',
      'leading_space',
      '//etc/passwd',
    ]);
  });
});

describe('predictors', () => {
  const fasta = '>x\nAYVINDSCIACGACKPECPVNIQQGSIYAIDADSCIDCGSCASVCPVGAPNPED\n';

  test('the recording with exactly these predictors is used, else the smallest with more', async () => {
    const known = index.recordings.filter((entry) => entry.what === 'FER_PEPAS.fasta');
    expect(known.map((entry) => entry.options).sort()).toEqual([
      'dynamine',
      'dynamine+disomine+efoldmine+agmata+psper',
    ]);
    const proteins = async (...predictors: string[]): Promise<string[]> => {
      const text = output(await run(sequence(fasta, predictors)), 'result');
      return Object.keys((JSON.parse(text) as { proteins: { x: object } }).proteins.x);
    };
    expect(await proteins('dynamine')).not.toContain('disoMine');
    expect(await proteins('disomine')).toEqual(expect.arrayContaining(['disoMine', 'viterbi']));
  });
});

describe('unknown inputs', () => {
  test('fail with the message that nothing was computed', async () => {
    const outcome = await run(molecule({ smiles: 'CCCCCCCCCCCCCO' }));
    expect(outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining('No recording for this input'),
    });
  });

  test('with unknown options list the known options', async () => {
    const outcome = await run(molecule({ smiles: 'CCO', chargeMethod: 'gas', atomType: 'amber' }));
    expect(outcome).toMatchObject({
      ok: false,
      message: expect.stringMatching(/gas\/auto\/amber.*bcc\/auto\/gaff2/),
    });
  });
});
