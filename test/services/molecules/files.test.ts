import { describe, expect, test } from 'vitest';
import type { MoleculeOptions } from '../../../src/domain/item.ts';
import { checkResult } from '../../../src/services/check-result.ts';
import { nativeFiles, type NativeFiles } from '../../../src/services/molecules/files.ts';
import type { ResultCheck } from '../../../src/results/result-problems.ts';
import {
  acpypeRecording,
  finishedRecord,
  recordingNames,
  type AcpypeRecording,
} from '../recordings.ts';

const SUCCESSES = recordingNames('acpype').filter((name) => acpypeRecording(name).ok);

function optionsOf(recording: AcpypeRecording): MoleculeOptions {
  return {
    kind: 'molecule',
    chargeMethod: recording.charge_method,
    netCharge: recording.net_charge,
    atomType: recording.atom_type,
  };
}

function native(recording: AcpypeRecording): NativeFiles {
  const files = nativeFiles(finishedRecord(recording), optionsOf(recording));
  if (!files.ok) throw new Error(`${files.code}: ${files.message}`);
  return files;
}

function check(
  recording: AcpypeRecording,
  results: unknown,
  options = optionsOf(recording),
): Promise<ResultCheck> {
  const record = { ...finishedRecord(recording), results };
  return checkResult({ options, input: { name: 'input.smi', text: '' } }, JSON.stringify(record));
}

const ETHANOL = acpypeRecording('smi-ethanol-bcc-auto-gaff2');

describe('native names', () => {
  test('are those that ACPYPE gives', () => {
    const { name, files } = native(ETHANOL);
    expect(name).toBe('ethanol');
    expect(files.map(({ fileName }) => fileName)).toEqual([
      'em.mdp',
      'md.mdp',
      'ethanol_AC.frcmod',
      'ethanol_AC.inpcrd',
      'ethanol_AC.lib',
      'ethanol_AC.prmtop',
      'ethanol_bcc_gaff2.mol2',
      'ethanol_CHARMM.inp',
      'ethanol_CHARMM.prm',
      'ethanol_CHARMM.rtf',
      'ethanol_CNS.inp',
      'ethanol_CNS.par',
      'ethanol_CNS.top',
      'ethanol_GMX_OPLS.itp',
      'ethanol_GMX_OPLS.top',
      'ethanol_GMX.gro',
      'ethanol_GMX.itp',
      'ethanol_GMX.top',
      'ethanol_NEW.pdb',
    ]);
  });

  test('contain the texts unchanged', () => {
    for (const { key, text } of native(ETHANOL).files) expect(text).toBe(ETHANOL.results[key]);
  });

  test('the first complete set is used, and the others are reported', () => {
    const record = { ...finishedRecord(ETHANOL), results: [{}, { em_mdp: 'x' }, ETHANOL.results] };
    const read = nativeFiles(record, optionsOf(ETHANOL));
    expect(read).toMatchObject({ ok: true, otherSets: [[{ fileName: 'em.mdp', text: 'x' }]] });
    if (read.ok) expect(read.files.map(({ text }) => text)).not.toContain('x');
  });

  test('a record with many tiny sets gives few files', () => {
    const tiny = Array.from({ length: 1000 }, () => ({ em_mdp: 'x' }));
    const record = { ...finishedRecord(ETHANOL), results: [ETHANOL.results, ...tiny] };
    const read = nativeFiles(record, optionsOf(ETHANOL));
    expect(read.ok && read.otherSets.length).toBe(9);
  });
});

describe('every recorded success', () => {
  test.each(SUCCESSES)('%s: 19 files whose includes resolve among them', (recordingName) => {
    const { name, files } = native(acpypeRecording(recordingName));
    const names = new Set(files.map(({ fileName }) => fileName));
    expect(names.size).toBe(19);
    for (const { fileName, text } of files) {
      expect(fileName).toMatch(/^[\w.+-]+$/);
      const includes = [...text.matchAll(/^#include "(.+)"$/gm)].map(([, file]) => file ?? '');
      const elsewhere = includes.filter((file) => !names.has(file));
      // GROMACS's own force field, and the restraints behind #ifdef POSRES_LIG.
      const allowed = ['ffoplsaa.itp', `posre_${name}.itp`];
      expect(allowed, `${fileName} includes ${elsewhere.join(', ')}`).toEqual(
        expect.arrayContaining(elsewhere),
      );
    }
    const top = files.find(({ key }) => key === 'GMX_top')?.text ?? '';
    expect(top).toContain(`#include "${name}_GMX.itp"`);
  });

  // Wrong ones: test/services/golden-results.test.ts.
});

describe('problems of a record are returned, never thrown', () => {
  test.each([null, 'text', 7, [], {}, { results: 'x' }, { results: [null, 1, 'x'] }])(
    '%j contains no files',
    (record) => {
      expect(nativeFiles(record, optionsOf(ETHANOL))).toMatchObject({
        ok: false,
        code: 'RESULT_EMPTY',
      });
    },
  );

  test.each(['../../etc/x', '/etc/x', '.hidden', 'a b', 'a\\b', '', '-rf', 'x'.repeat(200)])(
    'the name %j must not become a path',
    async (name) => {
      const GMX_top = `#include "${name}_GMX.itp"\n`;
      expect(await check(ETHANOL, [{ ...ETHANOL.results, GMX_top }])).toMatchObject({
        code: 'RESULT_UNSAFE_NAME',
      });
    },
  );

  test('a missing include', async () => {
    const GMX_top = `${ETHANOL.results['GMX_top'] ?? ''}\n#include "other.itp"\n`;
    expect(await check(ETHANOL, [{ ...ETHANOL.results, GMX_top }])).toMatchObject({
      code: 'RESULT_MISSING_FILES',
      message: 'ethanol_GMX.top includes "other.itp", which is missing.',
    });
  });

  test('bytes that are not a record', async () => {
    const job = { options: optionsOf(ETHANOL), input: { name: 'input.smi', text: '' } };
    expect(await checkResult(job, '<html>')).toMatchObject({ code: 'RESULT_NOT_JSON' });
  });
});

describe('silent errors of the engine', () => {
  test('a net charge that the engine ignored', async () => {
    const options = { ...optionsOf(ETHANOL), netCharge: 1 };
    expect(await check(ETHANOL, [ETHANOL.results], options)).toMatchObject({
      code: 'RESULT_WRONG_CHARGE',
    });
  });

  const changed = (key: string, change: (text: string) => string): object => ({
    ...ETHANOL.results,
    [key]: change(ETHANOL.results[key] ?? ''),
  });

  test.each([
    [
      'an atom less in the coordinates',
      changed('GMX_gro', (text) => text.replace(/^.* H5 .*\n/m, '')),
    ],
    [
      'an atom less in the topology',
      changed('GMX_itp', (text) => text.replace(/^ +9 +ho .*\n/m, '')),
    ],
    ['a bond less', changed('GMX_itp', (text) => text.replace(/^ +1 +2 +1 +1\.53.*\n/m, ''))],
  ])('%s', async (_, results) => {
    expect(await check(ETHANOL, [results])).toMatchObject({ code: 'RESULT_WRONG_ATOMS' });
  });

  test('the molecule of another input', async () => {
    const rest = { findDifference: null, lacksHydrogens: false };
    const ethane = { elements: 'C C H H H H H H'.split(' '), charge: 0, ...rest };
    const bytes = JSON.stringify(finishedRecord({ ...ETHANOL }));
    const options = optionsOf(ETHANOL);
    const job = { options, input: { name: 'input.smi', text: 'CC' } };
    expect(await checkResult(job, bytes, ethane)).toEqual({
      ok: false,
      code: 'RESULT_WRONG_ATOMS',
      message: 'The topology is that of C2H6O, the input is C2H6.',
    });
    const label = JSON.stringify({ ...finishedRecord({ ...ETHANOL }), synthetic: true });
    expect(await checkResult(job, label, ethane, true)).toEqual({ ok: true });
    expect(await checkResult(job, label, ethane)).toMatchObject({ code: 'RESULT_WRONG_ATOMS' });
    const ion = { elements: 'C C H H H H H H O'.split(' '), charge: -2, ...rest };
    expect(await checkResult(job, bytes, ion)).toMatchObject({ code: 'RESULT_WRONG_CHARGE' });
  });

  test('parameters that the engine guessed', async () => {
    const AC_frcmod = 'BOND\nc3-si  300.0  1.8  ATTN, need revision\n';
    expect(await check(ETHANOL, [{ ...ETHANOL.results, AC_frcmod }])).toMatchObject({
      code: 'RESULT_NEEDS_REVISION',
    });
  });
});
