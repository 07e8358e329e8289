/** How ACPYPE and b2bTools are called, and the errors that they report as successes. */
import { describe, expect, test } from 'vitest';
import type { MoleculeJob, ShiftsJob } from '../../packages/local-services/src/engines/engine.ts';
import {
  acpypeArguments,
  moleculeName,
  type FileSet,
} from '../../packages/local-services/src/engines/real/acpype/command.ts';
import {
  mol2Atoms,
  objectionTo as moleculeObjection,
} from '../../packages/local-services/src/engines/real/acpype/objections.ts';
import {
  failureIn,
  readableLog,
} from '../../packages/local-services/src/engines/real/acpype/run.ts';
import {
  commandOf,
  inputText,
  type PredictionJob,
} from '../../packages/local-services/src/engines/real/b2btools/command.ts';
import {
  objectionTo,
  whyUnfit,
} from '../../packages/local-services/src/engines/real/b2btools/objections.ts';
import { acpypeRecording, recordingNames } from '../services/recordings.ts';

const JOB: MoleculeJob = {
  kind: 'molecule',
  smiles: 'CCO',
  inputFile: null,
  fileName: 'ethanol',
  chargeMethod: 'bcc',
  netCharge: null,
  atomType: 'gaff2',
};

const FILE: MoleculeJob = { ...JOB, smiles: null, inputFile: 'its text', fileName: 'a.pdb' };

/** The recorded successes with errors. */
const WRONG: Readonly<Record<string, RegExp>> = {
  'file-edge_no_hydrogens-gas-auto-gaff2': /^Hydrogens are missing at C2, C3, C4, C5, C6;/,
  'smi-two_parts-gas-auto-gaff2': /^The input has 2 molecules/,
  'smi-wrong_charge3-gas-1-gaff2': /^The charges .* add up to 0\.000, not to the net charge of 1\./,
};

const successes = recordingNames('acpype').filter((name) => acpypeRecording(name).ok);

test.each(successes)('%s: exactly the known errors are reported', (name) => {
  const recording = acpypeRecording(name);
  const job = name.startsWith('file-') ? FILE : JOB;
  const objection = moleculeObjection(
    { ...job, netCharge: recording.net_charge },
    recording.results,
  );
  const expected = WRONG[name];
  if (expected === undefined) expect(objection).toBeNull();
  else expect(objection).toMatch(expected);
});

describe('an error is reported', () => {
  const ibuprofen = acpypeRecording('file-ibuprofen-bcc-auto-gaff2').results['mol2'] ?? '';

  /** Ibuprofen without the atoms that match the pattern, and without their bonds. */
  function without(names: RegExp): FileSet {
    const gone = mol2Atoms(ibuprofen).flatMap(({ name }, n) =>
      names.test(name) ? [String(n + 1)] : [],
    );
    const lines = ibuprofen.split('\n').filter((line) => {
      const words = line.trim().split(/\s+/);
      const isAtom = words.length === 9;
      const ends = isAtom ? [words[0]] : words.length === 4 ? words.slice(1, 3) : [];
      return !ends.some((end) => gone.includes(end ?? ''));
    });
    return { mol2: lines.join('\n') } as unknown as FileSet;
  }

  test.each([
    ['of a CH', /^H4$/, 'C2;'],
    ['and its twins of a methyl group', /^H1[567]$/, 'C12;'],
    ['and all others', /^H/, 'C1, C2, C3, C4, C6, …;'],
  ])('when a hydrogen %s is missing', (_what, names, carbons) => {
    expect(moleculeObjection(FILE, without(names))).toContain(
      `Hydrogens are missing at ${carbons}`,
    );
  });

  test('but not if the input is a SMILES, to which Open Babel adds hydrogens', () => {
    const whole = moleculeObjection(JOB, without(/^H[1-9]$/));
    expect(whole).not.toMatch(/^Hydrogens/);
  });
});

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

const RESIDUES = 'MKVLAAGIVGLCAKAYLEQWMKVLAAGIVG';

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

describe('a job is refused', () => {
  test.each([
    ['without a name', sequence(`>\n${RESIDUES}\n`), 'Record 1 has an empty header.'],
    ['too short', sequence('>a\nMKVL\n'), '"a" has 4 residues; b2bTools takes at least 5'],
    ['too short for PSPer', sequence('>a\nMKVLAA\n', 'psper'), 'psper takes 20 to 3000'],
    ['too long for PSPer', sequence(`>a\n${'M'.repeat(3001)}\n`, 'psper'), 'has 3001 residues'],
    ['aligned twice', { kind: 'alignment', fasta: '>a\nMK\n>a\nMK\n' } as const, 'named "a"'],
    ['of no known format', shifts({ format: null }), 'neither NEF nor NMR-STAR'],
  ])('%s', (_, job, why) => {
    expect(whyUnfit(job)).toContain(why);
  });

  test('but not if the engine can run it', () => {
    const fit = [
      sequence('>a\nMKVLA\n', 'efoldmine'),
      sequence(`>a\n${RESIDUES}\n>a\n${RESIDUES}\n`, 'psper'),
      sequence(`>a\n${'M'.repeat(3001)}\n`, 'dynamine'),
      alignment,
      shifts(),
    ];
    expect(fit.map(whyUnfit)).toEqual(fit.map(() => null));
  });
});

describe('a success of the engine counts as a failure', () => {
  const protein = {
    seq: ['M'],
    ...tracks('backbone', 'sidechain', 'ppII', 'coil', 'sheet', 'helix'),
  };

  function tracks(...keys: string[]): Record<string, number[]> {
    return Object.fromEntries(keys.map((key) => [key, [0.5]]));
  }

  const result = (proteins: object): string => JSON.stringify({ proteins, metadata: {} });

  test('when a sequence or a predictor is missing', () => {
    const two = sequence('>a\nM\n>b\nM\n');
    expect(objectionTo(two, result({ a: protein, b: protein }))).toBeNull();
    expect(objectionTo(two, result({ a: protein }))).toBe('The result has 1 of 2 sequences.');
    expect(objectionTo(two, result({ a: protein, b: {} }))).toContain('backbone, sidechain');
    const more = sequence('>a\nM\n', 'efoldmine');
    expect(objectionTo(more, result({ a: protein }))).toContain('lacks earlyFolding of "a"');
  });

  test('when it has no chain', () => {
    expect(objectionTo(shifts(), '[]')).toBe('The result has no chain.');
    expect(objectionTo(shifts(), '[{"shiftCrypt":["-10"]}]')).toBeNull();
  });
});
