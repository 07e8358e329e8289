import { describe, expect, test } from 'vitest';
import { artefactFile, itemKey } from '../../src/store/layout.ts';
import { StoreError } from '../../src/store/store-error.ts';

describe('the paths of an item', () => {
  test.each([
    ['..', 'x'],
    ['.hidden', 'x'],
    ['a/b', 'x'],
    ['', 'x'],
    ['a'.repeat(65), 'x'],
    ['aspirin', '../../items.csv'],
    ['aspirin', 'sub/X_GMX.top'],
    ['aspirin', '..'],
    ['aspirin', ''],
    ['aspirin', 'X\u0000.top'],
    ['//etc', 'passwd'],
  ])('the id %j with the file %j, as a service could send it, is refused', (id, file) => {
    expect(() => itemKey('molecule', id, file)).toThrow(StoreError);
  });
});

describe('the name of an artefact', () => {
  test.each([
    ['record', 'text/html', 'record.json'],
    ['result', null, 'result.json'],
    ['history', null, 'history.json'],
    ['csv', 'text/csv', 'result.csv'],
    ['metadata', 'application/json; charset=utf-8', 'metadata.json'],
    ['metadata', 'text/csv', 'metadata.csv'],
    ['metadata', null, 'metadata.csv'],
    ['distributions', 'application/problem+json', 'distributions.json'],
  ] as const)('%s sent as %s is stored as %s', (artefact, contentType, name) => {
    expect(artefactFile(artefact, contentType)).toBe(name);
  });
});
