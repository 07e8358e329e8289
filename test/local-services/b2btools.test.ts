import { describe, expect, test } from 'vitest';
import type { ShiftsJob } from '../../src/local-services/engines/engine.ts';
import {
  commandOf,
  inputText,
  type PredictionJob,
} from '../../src/local-services/engines/real/b2btools/command.ts';
import {
  objectionTo,
  whyUnfit,
} from '../../src/local-services/engines/real/b2btools/objections.ts';

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
    const { args, outputs } = commandOf(alignment);
    expect(args.join(' ')).toContain('--mode msa');
    expect(args.slice(-4)).toEqual(['--dynamine', '--disomine', '--efoldmine', '--agmata']);
    expect(outputs.distributions).toBe('distributions.json');
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
