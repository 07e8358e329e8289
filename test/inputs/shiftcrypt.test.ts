/** Every value and every -10 of recorded results is predicted from the atoms in the file. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readNef } from '../../src/inputs/shifts/nef.ts';
import { readNmrStar } from '../../src/inputs/shifts/nmr-star.ts';
import { atomsNeeded, getsValue } from '../../src/inputs/shifts/nmr.ts';
import { readStar } from '../../src/inputs/shifts/star.ts';
import type { Residue } from '../../src/inputs/shifts/shift-table.ts';
import { MODEL_CLASSES, type ModelClass } from '../../src/domain/item.ts';

const PROJECT = path.join(import.meta.dirname, '..', '..');
const DATA = path.join(PROJECT, '..', 'shared', 'data');

function residuesOf(file: string): readonly Residue[] {
  const reading = readStar(readFileSync(file, 'utf8'));
  if (!reading.ok) throw new Error(`${file} line ${String(reading.line)}: ${reading.reason}`);
  const read = file.endsWith('.nef') ? readNef : readNmrStar;
  return read(reading.frames).residues;
}

/** True for each residue with a value. */
function valuesOf(result: string): boolean[] {
  const bytes = readFileSync(result);
  const text = (result.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const chains = JSON.parse(text) as { readonly shiftCrypt: readonly string[] }[];
  return chains.flatMap(({ shiftCrypt }) => shiftCrypt.map((value) => Number(value) !== -10));
}

function predicted(file: string, model: ModelClass): boolean[] {
  return residuesOf(file).map(({ name, atoms }) => getsValue(model, name, atoms));
}

describe('the recordings of the project', () => {
  const folder = path.join(PROJECT, 'src/local-services/recordings/b2btools/shiftcrypt');
  test.each(globSync('bmr*-model*.json.gz', { cwd: folder }))('%s', (name) => {
    const [, entry = '', type = '', model = ''] = /^(.*)_(nef|str)-model(\d)/.exec(name) ?? [];
    const file = path.join(PROJECT, 'batches/demo/files', `${entry}.${type}`);
    expect(predicted(file, model as ModelClass)).toEqual(valuesOf(path.join(folder, name)));
  });
});

describe('the public sample data', () => {
  const folder = path.join(DATA, 'public');
  const results = existsSync(folder)
    ? globSync('golden/b2btools/shiftcrypt/*-model?.json{,.gz}', { cwd: folder })
    : [];

  test.skipIf(results.length === 0)('%s', () => {
    let residues = 0;
    for (const result of results) {
      const [, entry = '', model = ''] = /([^/]*)-model(\d)/.exec(result) ?? [];
      const [file = ''] = globSync(`shifts/${entry}.*`, { cwd: folder });
      const values = valuesOf(path.join(folder, result));
      expect(predicted(path.join(folder, file), model as ModelClass), result).toEqual(values);
      residues += values.length;
    }
    expect(residues).toBeGreaterThan(1000);
  });
});

test('model 1 needs the most atoms and model 3 the fewest; only amino acids get a value', () => {
  for (const residue of ['ALA', 'GLY', 'PRO', 'LEU', 'VAL']) {
    const [one, two, three] = MODEL_CLASSES.map((model) => atomsNeeded(model, residue));
    expect(one?.length).toBeGreaterThanOrEqual(two?.length ?? Infinity);
    expect(two).toEqual(expect.arrayContaining([...(three ?? ['none'])]));
  }
  expect(atomsNeeded('3', 'PRO')).toEqual(['CA']);
  for (const other of ['PHF', 'DA', '', 'constructor', '__proto__']) {
    expect(getsValue('3', other, new Set(['N', 'H', 'CA']))).toBe(false);
  }
});
