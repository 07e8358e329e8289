/** Files of one prediction that belong to another job, in the shapes that services choose. */
import { describe, expect, test } from 'vitest';
import { checkFiles, type PredictionFiles } from '../../../src/services/predictions/check-files.ts';

const JOB = '6f1c0c1e-0000-4000-8000-00000000000a';
const OTHER = '6f1c0c1e-0000-4000-8000-00000000000b';

const RESULT = JSON.stringify({
  proteins: {
    one: { seq: ['M', 'K', 'X'], backbone: [0.75345, 0.8, 0.9], agmata: [120.123456, 0, 0.5] },
    two: { seq: ['M', 'K'], backbone: [0.1, 0.2], agmata: [1, 2] },
  },
});
const CSV = `sequence_id,residue,residue_index,agmata,backbone,viterbi
one,M,0,120.123,0.753,
one,K,1,0.0,0.8,
one,X,2,0.5,0.9,
two,M,0,1.0,0.1,
two,K,1,2.0,0.2,
`;
const METADATA = `sequence_id,length,protein_score,backbone_mean,agmata_mean,disoMine_mean
one,3,,0.81782,40.207819,
two,2,,0.15,1.5,
`;

function codeOf(files: PredictionFiles, kind: 'sequence' | 'alignment' | 'shifts' = 'sequence') {
  return checkFiles({ result: RESULT, ...files }, kind, JOB)?.code;
}

describe('a CSV', () => {
  test.each([
    ['as the engine writes it', CSV],
    ['with a byte order mark and other line ends', `\uFEFF${CSV.replaceAll('\n', '\r\n')}`],
    ['with the sequences in another order', reordered(CSV)],
    ['with names of its own', CSV.replaceAll('one,', 'sp|one|,').replaceAll('two,', '2,')],
    ['with other digits', CSV.replaceAll('0.753', '0.75').replaceAll('120.123', '1.2e2')],
    ['with quoted cells', CSV.replaceAll('one,', '"one",')],
    ['with NaN and blanks', CSV.replace('120.123,0.753', 'nan,')],
    ['with X for a residue', CSV.replace('one,K', 'one,x')],
    ['with columns of its own', CSV.replace('viterbi', 'note')],
    ['without a column', CSV.replace('agmata', 'other')],
    ['of an unknown form', 'position;value\n1;2\n'],
    ['that is empty', ''],
    ['that is JSON', RESULT],
  ])('%s agrees', (_, csv) => {
    expect(checkFiles({ result: RESULT, csv }, 'sequence', JOB)).toBeNull();
  });

  test.each([
    ['of another sequence', CSV.replace('one,K', 'one,R'), 'residue 2 of "one"'],
    ['with a residue more', `${CSV}two,L,2,1.0,0.3,\n`, '3 residues of "two"'],
    ['with a sequence less', CSV.replace(/^two.*\n/gm, ''), '1 sequences'],
    ['with another value', CSV.replace('0.9,', '0.6,'), 'residue 3'],
    ['without the values of a predictor', emptied(CSV), 'no values'],
    ['of other proteins', 'sequence_id,residue\na,W\nb,Y\n', 'nothing in result.json'],
  ])('%s does not', (_, csv, words) => {
    const problem = checkFiles({ result: RESULT, csv }, 'sequence', JOB);
    expect(problem).toMatchObject({ code: 'RESULT_FILES_DISAGREE' });
    expect(problem?.message).toContain(words);
  });
});

function reordered(csv: string): string {
  const [header = '', ...rows] = csv.trim().split('\n');
  return [header, ...rows.slice(3), ...rows.slice(0, 3), ''].join('\n');
}

function emptied(csv: string): string {
  return csv.replaceAll(/,[\d.]+,([\d.]+),$/gm, ',,$1,');
}

describe('metadata', () => {
  test.each([
    ['as the engine writes them', METADATA],
    ['of an unknown form', 'key,value\nversion,1\n'],
    ['as JSON', '{"sequences": 7}'],
  ])('%s agree', (_, metadata) => {
    expect(codeOf({ metadata })).toBeUndefined();
  });

  test.each([
    ['of another length', METADATA.replace('one,3', 'one,7')],
    ['of another mean', METADATA.replace('0.81782', '0.61782')],
    ['of a sequence more', `${METADATA}three,3,,,,\n`],
  ])('%s do not', (_, metadata) => {
    expect(codeOf({ metadata })).toBe('RESULT_FILES_DISAGREE');
  });
});

describe('distributions', () => {
  const spread = (median: readonly (number | null)[]) =>
    JSON.stringify({ results: { backbone: { median, firstQuartile: median } } });
  const result = JSON.stringify({
    proteins: { a: { backbone: [0.2, null, null] }, b: { backbone: [0.4, 0.6, null] } },
    sequences: { a: 'M--', b: 'MK-' },
  });

  test.each([
    ['between the values of a column', [0.3, 0.6, null]],
    ['rounded', [0.405, 0.6, null]],
    ['in a column of gaps', [0.3, 0.6, 0.5]],
  ])('%s agree', (_, median) => {
    expect(checkFiles({ result, distributions: spread(median) }, 'alignment', JOB)).toBeNull();
  });

  test('of another alignment do not agree', () => {
    const problem = checkFiles(
      { result, distributions: spread([0.3, 0.8, null]) },
      'alignment',
      JOB,
    );
    expect(problem?.message).toMatch(/^In column 2 .* 0\.8 for backbone, .* from 0\.6 to 0\.6\./);
  });
});

describe('shifts', () => {
  const chain = (values: readonly string[], seqCodes: readonly number[], chainCode = 'A') => ({
    ID_file: 'x.nef',
    sequence: ['M', 'Q'],
    seqCodes,
    shiftCrypt: values,
    chainCode,
  });
  const result = JSON.stringify([chain(['-10.0', '0.8'], [3, 4])]);
  const csv = 'chainCode,seqCode,residue,shiftCrypt\nA,3,M,-10.0\nA,4,Q,0.8\n';

  test('agree, also two chains of one code', () => {
    expect(checkFiles({ result, csv }, 'shifts', JOB)).toBeNull();
    const twice = JSON.stringify([chain(['-10.0', '0.8'], [3, 4]), chain(['0.1', '0.2'], [3, 4])]);
    const rows = `${csv}A,3,M,0.1\nA,4,Q,0.2\n`;
    expect(checkFiles({ result: twice, csv: rows }, 'shifts', JOB)).toBeNull();
  });

  test.each([
    ['values', csv.replace('0.8', '0.5')],
    ['numbers of residues', csv.replace('A,4', 'A,5')],
  ])('do not agree, with other %s', (_, text) => {
    expect(checkFiles({ result, csv: text }, 'shifts', JOB)?.code).toBe('RESULT_FILES_DISAGREE');
  });
});

describe('the id of the job', () => {
  test.each([
    ['history', JSON.stringify({ request_id: OTHER, history: [] })],
    ['metadata', JSON.stringify({ metadata: { request_id: OTHER } })],
    ['result', JSON.stringify([{ request_id: OTHER, shiftCrypt: ['0.1'] }])],
  ])('that %s names is compared', (name, text) => {
    expect(codeOf({ [name]: text })).toBe('RESULT_OTHER_JOB');
    expect(codeOf({ [name]: text.replace(OTHER, JOB.toUpperCase()) })).toBeUndefined();
  });
});
