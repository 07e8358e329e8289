import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import { BATCHES, brief, onlyItem, read } from './manifests.ts';

const STAR = readFileSync(path.join(BATCHES, 'demo', 'files', 'bmr5387_ubiquitin.str'), 'utf8');
const SEQUENCE = 'MNKQQQTALNMARFIRSQSL';

async function optionsOf(row: Record<string, unknown>): Promise<Item['options']> {
  return (await onlyItem('t.jsonl', JSON.stringify(row), { 'a.str': STAR })).options;
}

describe('defaults', () => {
  test('are those of the services', async () => {
    expect(await optionsOf({ smiles: 'C' })).toEqual({
      kind: 'molecule',
      chargeMethod: 'bcc',
      netCharge: null,
      atomType: 'gaff2',
    });
    expect(await optionsOf({ sequence: SEQUENCE })).toEqual({
      kind: 'sequence',
      predictors: ['dynamine', 'disomine', 'efoldmine', 'agmata'],
    });
    expect(await optionsOf({ file: 'a.str' })).toEqual({
      kind: 'shifts',
      modelClass: '1',
      originalNumbering: true,
    });
  });

  test('title and e-mail are null when empty', async () => {
    const item = await onlyItem('t.csv', 'smiles,title,email\nC,,\n');
    expect([item.title, item.email]).toEqual([null, null]);
    const filled = await onlyItem('t.csv', 'smiles,title,email\nC, Methane ,me@example.org\n');
    expect([filled.title, filled.email]).toEqual(['Methane', 'me@example.org']);
  });
});

describe('net_charge', () => {
  test.each([
    ['0', 'CCO', 0],
    ['-0', 'CCO', 0],
    ['1', 'C[NH3+]', 1],
    ['+1', 'C[NH3+]', 1],
    ['1.0', 'C[NH3+]', 1],
    ['-2', '[O-]C(=O)C(=O)[O-]', -2],
    ['\u22122', '[O-]C(=O)CC(=O)[O-]', -2],
    ['', 'C[NH3+]', null],
  ])('%j for %s is %j', async (written, smiles, charge) => {
    const { items } = await read('t.jsonl', JSON.stringify({ smiles, net_charge: written }));
    expect(items.map((item) => item.options)).toMatchObject([{ netCharge: charge }]);
  });
});

describe('predictors', () => {
  test.each([
    ['dynamine,agmata', ['dynamine', 'agmata']],
    ['dynamine; disomine efoldmine;agmata', ['dynamine', 'disomine', 'efoldmine', 'agmata']],
    [' agmata , dynamine,,agmata ', ['agmata', 'dynamine']],
    ['DynaMine\tPSPer', ['dynamine', 'psper']],
    [';', ['dynamine', 'disomine', 'efoldmine', 'agmata']],
  ])('%j: each once, in the user’s order', async (predictors, expected) => {
    expect(await optionsOf({ sequence: SEQUENCE, predictors })).toMatchObject({
      predictors: expected,
    });
  });
});

describe('shifts', () => {
  test.each([
    ['1', '1', 'true', true],
    ['2.0', '2', 'No', false],
    ['3', '3', '0', false],
    ['', '1', 'T', true],
    ['1', '1', '1.0', true],
  ])('model_class %j is %s, original_numbering %j is %s', async (model, modelClass, text, flag) => {
    const row = { file: 'a.str', model_class: model, original_numbering: text };
    expect(await optionsOf(row)).toEqual({ kind: 'shifts', modelClass, originalNumbering: flag });
  });

  test('other values are refused, each in its column', async () => {
    const row = { file: 'a.str', model_class: '4', original_numbering: 'perhaps' };
    const { problems } = await read('t.jsonl', JSON.stringify(row), { 'a.str': STAR });
    expect(brief(problems)).toEqual([
      'MANIFEST_OPTION_INVALID 1 model_class 4',
      'MANIFEST_OPTION_INVALID 1 original_numbering perhaps',
    ]);
    expect(problems[1]?.remedy).toContain('`true`, `false`');
  });
});
