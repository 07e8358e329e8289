/** What a retry keeps of the services of the former run. */
import { expect, test } from 'vitest';
import { mergeServices } from '../../src/runner/tree.ts';

test('a further run keeps the lanes of the former one, which have jobs of its rows', () => {
  const former = {
    molecules: { url: 'local' },
    predictions: {
      url: 'https://old',
      lanes: [{ address: 'engines' }, { address: 'big', maxOpen: 1 }],
    },
  };
  const now = { predictions: { url: 'https://new', lanes: [{ address: 'big', maxOpen: 4 }] } };
  expect(mergeServices(former, now)).toEqual({
    molecules: { url: 'local' },
    predictions: {
      url: 'https://new',
      lanes: [{ address: 'big', maxOpen: 4 }, { address: 'engines' }],
    },
  });
  expect(mergeServices({}, { molecules: { url: 'a' } })).toEqual({ molecules: { url: 'a' } });
});
