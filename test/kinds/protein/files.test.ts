/** Files of one prediction that belong to another job, in the shapes that services choose. */
import { describe, expect, test } from 'vitest';
import { checkFiles, type PredictionFiles } from '../../../src/kinds/protein/check.ts';

const JOB = '6f1c0c1e-0000-4000-8000-00000000000a';
const OTHER = '6f1c0c1e-0000-4000-8000-00000000000b';

const RESULT = JSON.stringify({
  proteins: {
    one: { seq: ['M', 'K', 'X'], backbone: [0.75345, 0.8, 0.9], agmata: [120.123456, 0, 0.5] },
    two: { seq: ['M', 'K'], backbone: [0.1, 0.2], agmata: [1, 2] },
  },
});
const [HEADER = '', ...LINES] = `sequence_id,residue,residue_index,agmata,backbone,viterbi
one,M,0,120.123,0.753,
one,K,1,0.0,0.8,
one,X,2,0.5,0.9,
two,M,0,1.0,0.1,
two,K,1,2.0,0.2,`.split('\n');
const CSV = `${[HEADER, ...LINES].join('\n')}\n`;
const METADATA = `sequence_id,length,protein_score,backbone_mean,agmata_mean,disoMine_mean
one,3,,0.81782,40.207819,
two,2,,0.15,1.5,
`;

function problemOf(files: PredictionFiles) {
  return checkFiles({ result: RESULT, ...files }, { remoteId: JOB });
}
const disagree = (words: string) => ({
  code: 'RESULT_FILES_DISAGREE',
  message: expect.stringContaining(words) as string,
});

describe('a CSV', () => {
  test.each([
    ['as the engine writes it', CSV],
    ['with a byte order mark and other line ends', `\uFEFF${CSV.replaceAll('\n', '\r\n')}`],
    ['in another order', `${[HEADER, ...LINES.slice(3), ...LINES.slice(0, 3)].join('\n')}\n`],
    ['with names of its own', CSV.replaceAll('one,', 'sp|one|,').replaceAll('two,', '2,')],
    ['with other digits', CSV.replaceAll('0.753', '0.75').replaceAll('120.123', '1.2e2')],
    ['with quoted cells', CSV.replaceAll('one,', '"one",')],
    ['with NaN and blanks', CSV.replace('120.123,0.753', 'nan,')],
    ['with X for a residue', CSV.replace('one,K', 'one,x')],
    ['without a column', CSV.replace('agmata', 'other')],
    ['of an unknown form', 'position;value\n1;2\n'],
    ['that is empty', ''],
    ['that is JSON', RESULT],
  ])('%s agrees', (_, csv) => {
    expect(problemOf({ csv })).toBeNull();
  });

  test.each([
    ['of another sequence', CSV.replace('one,K', 'one,R'), 'rows of "one"'],
    ['with a residue more', `${CSV}two,L,2,1.0,0.3,\n`, 'rows of "two"'],
    ['with a sequence less', CSV.replace(/^two.*\n/gm, ''), '1 sequences'],
    ['with another value', CSV.replace('0.9,', '0.6,'), 'rows of "one"'],
    ['without values', CSV.replaceAll(/,[\d.]+,([\d.]+),$/gm, ',,$1,'), 'rows of "one"'],
    ['of other proteins', 'sequence_id,residue\na,W\nb,Y\n', 'rows of "a"'],
  ])('%s does not', (_, csv, words) => {
    expect(problemOf({ csv })).toMatchObject(disagree(words));
  });
});

test.each([
  ['as the engine writes them', METADATA, true],
  ['of an unknown form', 'key,value\nversion,1\n', true],
  ['as JSON', '{"sequences": 7}', true],
  ['of another length', METADATA.replace('one,3', 'one,7'), false],
  ['of another mean', METADATA.replace('0.81782', '0.61782'), false],
  ['of a sequence more', `${METADATA}three,3,,,,\n`, false],
])('metadata %s agree: $2', (_, metadata, agrees) => {
  const problem = problemOf({ metadata });
  if (agrees) expect(problem).toBeNull();
  else expect(problem).toMatchObject(disagree(''));
});

describe('shifts', () => {
  const chain = (...shiftCrypt: string[]) => ({
    ID_file: 'x.nef',
    sequence: ['M', 'Q'],
    seqCodes: [3, 4],
    shiftCrypt,
    chainCode: 'A',
  });
  const first = chain('-10.0', '0.8');
  const csv = 'chainCode,seqCode,residue,shiftCrypt\nA,3,M,-10.0\nA,4,Q,0.8\n';

  test.each([
    ['agree', [first], csv, true],
    [
      'of two chains of one code agree',
      [first, chain('0.1', '0.2')],
      `${csv}A,3,M,0.1\nA,4,Q,0.2\n`,
      true,
    ],
    ['with another value do not', [first], csv.replace('0.8', '0.5'), false],
    ['with another number of a residue do not', [first], csv.replace('A,4', 'A,5'), false],
  ])('%s', (_, chains, text, agrees) => {
    const problem = problemOf({ result: JSON.stringify(chains), csv: text });
    if (agrees) expect(problem).toBeNull();
    else expect(problem).toMatchObject(disagree(''));
  });
});

test.each([
  ['history', JSON.stringify({ request_id: OTHER, history: [] })],
  ['metadata', JSON.stringify({ metadata: { request_id: OTHER } })],
  ['result', JSON.stringify([{ request_id: OTHER, shiftCrypt: ['0.1'] }])],
])('the id of the job that %s names is compared', (name, text) => {
  expect(problemOf({ [name]: text })?.code).toBe('RESULT_OTHER_JOB');
  expect(problemOf({ [name]: text.replace(OTHER, JOB.toUpperCase()) })).toBeNull();
});
