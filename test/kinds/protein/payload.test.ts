import { describe, expect, test } from 'vitest';
import { type Payload, readPayload } from '../../../src/kinds/protein/payload.ts';

function read(json: unknown): Payload {
  const payload = readPayload(typeof json === 'string' ? json : JSON.stringify(json));
  if (!payload.ok) throw new Error(`${payload.code}: ${payload.message}`);
  return payload;
}

const VALUES = { backbone: [0.1, 0.2] };

describe('every known shape of a payload', () => {
  test.each([
    ['proteins', { proteins: { a: { seq: ['M', 'K'], ...VALUES } }, metadata: { email: ['x'] } }],
    ['results', { id: 'r', results: [{ proteinID: 'a', sequence: 'MK', ...VALUES }] }],
    ['results with letters', { results: [{ proteinID: 'a', sequence: ['M', 'K'], ...VALUES }] }],
    ['by id', { a: { seq: 'MK', ...VALUES }, metadata: { email: ['x'] } }],
    [
      'earlier, by id',
      { status: 'success', predictor: 'p', results: { a: { seq: 'MK', ...VALUES } } },
    ],
  ])('%s', (_, json) => {
    expect(read(json)).toEqual({
      ok: true,
      entries: [{ name: 'a', residues: 'MK', tracks: VALUES, scores: {} }],
    });
  });

  test('the wrapper of the earlier variant', () => {
    const results = { sequence: 'MK', prediction: [0.1, '0.2'] };
    const json = { status: 'success', predictor: 'dynamine', timestamp: 'x', results };
    expect(read(json).entries).toEqual([
      { name: 'dynamine', residues: 'MK', tracks: { dynamine: [0.1, 0.2] }, scores: {} },
    ]);
    const byKey = { ...json, results: { sequence: 'MK', prediction: VALUES } };
    expect(read(byKey).entries[0]).toMatchObject({ residues: 'MK', tracks: VALUES });
  });

  test('a complete payload in the wrapper of the earlier variant', () => {
    const proteins = { a: { seq: 'MK', ...VALUES } };
    const prediction = { proteins, metadata: { synthetic: true } };
    const wrapped = { status: 'success', results: { sequence: 'MK', prediction } };
    expect(read(wrapped)).toMatchObject({ entries: [{ name: 'a', residues: 'MK' }] });
    const chains = [{ sequence: ['M'], shiftCrypt: ['0.5'] }];
    const shifts = { status: 'success', results: { sequence: 'data_x', prediction: chains } };
    expect(read(shifts).entries).toMatchObject([{ residues: 'M', tracks: { shiftCrypt: [0.5] } }]);
  });

  test('shifts: text is read as numbers, and residue numbers are unchanged', () => {
    const json = [
      { ID_file: 'x.nef', sequence: ['M'], seqCodes: [7], shiftCrypt: ['0.512'], chainCode: 'A' },
    ];
    expect(read(json).entries).toEqual([
      {
        name: 'x.nef',
        residues: 'M',
        tracks: { seqCodes: [7], shiftCrypt: [0.512] },
        scores: { chainCode: 'A' },
      },
    ]);
  });

  test('NaN and Infinity, which are not JSON, are read as missing; in a string they are text', () => {
    const text = '{"proteins":{"NaN":{"seq":["M","K","L"],"backbone":[NaN,-Infinity,0.5]}}}';
    expect(read(text).entries).toEqual([
      { name: 'NaN', residues: 'MKL', tracks: { backbone: [null, null, 0.5] }, scores: {} },
    ]);
  });
});

describe('the reason why something cannot be read', () => {
  test.each([
    ['', 'RESULT_EMPTY'],
    ['{}', 'RESULT_EMPTY'],
    ['{"status":"RUNNING"}', 'RESULT_EMPTY'],
    ['{"error":"no"}', 'RESULT_EMPTY'],
    ['<html>no</html>', 'RESULT_NOT_JSON'],
    ['{"a":tru}', 'RESULT_NOT_JSON'],
    ['sequence_id,residue', 'RESULT_NOT_JSON'],
    ['{"proteins":{"a":{"seq":["M"', 'RESULT_TRUNCATED'],
    ['{"proteins":{"a":{"seq', 'RESULT_TRUNCATED'],
    ['[{"a":"}]\\"', 'RESULT_TRUNCATED'],
  ])('%j: %s', (text, code) => {
    expect(readPayload(text)).toMatchObject({ ok: false, code });
  });
});
