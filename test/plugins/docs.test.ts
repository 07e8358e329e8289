/** The pages about plugins: the tutorial makes the example that is tested, and every key is explained. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kindShape, serviceShape } from '../../src/services/plugins/shapes.ts';

const ROOT = join(import.meta.dirname, '..', '..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

test('the pieces of the tutorial, one after another, are the example', () => {
  const page = read('docs/plugin-tutorial.md');
  const pieces = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
  expect(lines(pieces.join('\n'))).toEqual(lines(read('examples/services/uniprot.ts')));
});

test.each([
  ['defineKind', Object.keys(kindShape.shape)],
  ['defineService', Object.keys(serviceShape.shape)],
])('docs/plugins.md explains every key of %s', (name, keys) => {
  const [, table = ''] = read('docs/plugins.md').split(`| \`${name}\` | what |`);
  const [rows = ''] = table.split('\n\n');
  expect(keys.filter((key) => !rows.includes(`\`${key}\``))).toEqual([]);
});
