/** How ACPYPE and b2bTools are called, and what they say. */
import { describe, expect, test } from 'vitest';
import type { MoleculeJob, ShiftsJob } from '../../packages/local-services/src/engines/engine.ts';
import {
  listArguments,
  findFailure,
  chooseMoleculeName,
  cleanLog,
} from '../../packages/local-services/src/engines/acpype.ts';
import {
  buildCommand,
  formatInput,
  type PredictionJob,
} from '../../packages/local-services/src/engines/b2btools.ts';

const JOB: MoleculeJob = {
  kind: 'molecule',
  smiles: 'CCO',
  inputFile: null,
  fileName: 'ethanol',
  chargeMethod: 'bcc',
  netCharge: null,
  atomType: 'gaff2',
};

test.each([
  ['acide acétylsalicylique', 'acide_ace_tylsalicylique'],
  ['x; rm -rf $(pwd)', 'x_rm_rf_pwd'],
  ['阿司匹林', 'molecule'],
])('the molecule %s is called %s', (fileName, name) => {
  expect(chooseMoleculeName({ ...JOB, fileName })).toBe(name);
});

test('a SMILES is never parsed as an option, whatever it begins with', () => {
  const job = { ...JOB, smiles: '--version', netCharge: -1 };
  expect(listArguments(job)).toEqual([
    '--input=--version',
    '--basename=ethanol',
    '--charge_method=bcc',
    '--net_charge=-1',
    '--atom_type=gaff2',
  ]);
});

test("the log of the engine's output contains neither tracebacks nor local paths", () => {
  const printed = [
    "ERROR: ACPYPE FAILED: [Errno 2] No such file or directory: '/tmp/job-1/C1CC('",
    'Traceback (most recent call last):',
    '  File "/opt/engines/acpype/lib/acpype/cli.py", line 106, in init_main',
    '    molecule = ACTopol(',
    "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/job-1/C1CC('",
    'Total time of execution: less than a second',
    'Log tmp location: /tmp/job-1/tmpx',
    '',
  ].join('\n');
  const log = cleanLog(printed, '/tmp/job-1', '/opt/engines/acpype');
  expect(log).toBe(
    "ERROR: ACPYPE FAILED: [Errno 2] No such file or directory: './C1CC('\nTotal time of execution: less than a second\n",
  );
  expect(findFailure(log)).toBe("ACPYPE FAILED: [Errno 2] No such file or directory: './C1CC('");
  expect(findFailure('ACPYPE FAILED: \n')).toBe('ACPYPE FAILED:');
  expect(findFailure('all is well')).toBeNull();
});

function sequence(fasta: string, ...predictors: string[]): PredictionJob {
  return { kind: 'sequence', fasta, predictors, unknownPredictors: [] };
}

function shifts(more: Partial<ShiftsJob> = {}): ShiftsJob {
  const job = { kind: 'shifts', text: 'data_x', format: 'nef' } as const;
  return { ...job, modelClass: '1', originalNumbering: true, ...more };
}

const alignment: PredictionJob = { kind: 'alignment', fasta: '>a\nMK-V\n>b\nMKVV\n' };

describe('the command line', () => {
  test('of a sequence requests what the job requests, and DynaMine', () => {
    expect(buildCommand(sequence('>a\nMK', 'psper', 'agmata')).args.join(' ')).toBe(
      '-i input.fasta -o result.json -t result.csv -m metadata.csv --dynamine --psper --agmata',
    );
  });

  test('of an alignment runs the four default predictors and writes distributions', () => {
    const { args } = buildCommand(alignment);
    expect(args.join(' ')).toMatch(
      /^--mode msa .* -dj distributions\.json --dynamine --disomine --efoldmine --agmata$/,
    );
  });

  test('of shifts has the format of the file, the model, and the numbering', () => {
    expect(buildCommand(shifts()).args.join(' ')).toBe(
      '-i shifts.nef -m 1 -o result.json -t result.csv',
    );
    const other = shifts({ format: 'nmr-star', modelClass: '3', originalNumbering: false });
    expect(buildCommand(other).args.join(' ')).toBe(
      '-i shifts.str -m 3 -o result.json -t result.csv --no_original_numbering',
    );
  });

  test('the engine gets text without a byte order mark, with its own line ends', () => {
    expect(formatInput(sequence('\uFEFF>a\r\nMK\rVL'))).toBe('>a\nMK\nVL\n');
  });
});
