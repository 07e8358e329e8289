/** How ACPYPE and b2bTools are called, and what they say. */
import { describe, expect, test } from 'vitest';
import type { MoleculeJob, ShiftsJob } from '../../packages/local-services/src/engines/engine.ts';
import {
  acpypeArguments,
  failureIn,
  moleculeName,
  readableLog,
} from '../../packages/local-services/src/engines/acpype.ts';
import {
  commandOf,
  inputText,
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
  expect(moleculeName({ ...JOB, fileName })).toBe(name);
});

test('a SMILES is never parsed as an option, whatever it begins with', () => {
  const job = { ...JOB, smiles: '--version', netCharge: -1 };
  expect(acpypeArguments(job)).toEqual([
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
  const log = readableLog(printed, '/tmp/job-1', '/opt/engines/acpype');
  expect(log).toBe(
    "ERROR: ACPYPE FAILED: [Errno 2] No such file or directory: './C1CC('\nTotal time of execution: less than a second\n",
  );
  expect(failureIn(log)).toBe("ACPYPE FAILED: [Errno 2] No such file or directory: './C1CC('");
  expect(failureIn('ACPYPE FAILED: \n')).toBe('ACPYPE FAILED:');
  expect(failureIn('all is well')).toBeNull();
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
    expect(commandOf(sequence('>a\nMK', 'psper', 'agmata')).args.join(' ')).toBe(
      '-i input.fasta -o result.json -t result.csv -m metadata.csv --dynamine --psper --agmata',
    );
  });

  test('of an alignment runs the four default predictors and writes distributions', () => {
    const { args } = commandOf(alignment);
    expect(args.join(' ')).toMatch(
      /^--mode msa .* -dj distributions\.json --dynamine --disomine --efoldmine --agmata$/,
    );
  });

  test('of shifts has the format of the file, the model, and the numbering', () => {
    expect(commandOf(shifts()).args.join(' ')).toBe(
      '-i shifts.nef -m 1 -o result.json -t result.csv',
    );
    const other = shifts({ format: 'nmr-star', modelClass: '3', originalNumbering: false });
    expect(commandOf(other).args.join(' ')).toBe(
      '-i shifts.str -m 3 -o result.json -t result.csv --no_original_numbering',
    );
  });

  test('the engine gets text without a byte order mark, with its own line ends', () => {
    expect(inputText(sequence('\uFEFF>a\r\nMK\rVL'))).toBe('>a\nMK\nVL\n');
  });
});
