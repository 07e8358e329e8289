/** The checks against files whose outcome in the real engines is known; skipped where the sample data are absent. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { readMol2 } from '../../src/inputs/mol2.ts';
import { readMolfile } from '../../src/inputs/molfile.ts';
import { readPdb } from '../../src/inputs/pdb.ts';
import { readSmiles } from '../../src/inputs/smiles.ts';
import { PROBLEMS } from '../../src/manifest/problems.ts';
import type { FindingCode } from '../../src/inputs/finding.ts';

const DATA = path.join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

function text(...names: readonly string[]): string {
  return readFileSync(path.join(DATA, ...names), 'utf8');
}

function table(...names: readonly string[]): Record<string, string>[] {
  return parse(text(...names), { columns: true });
}

function errors(findings: readonly { readonly code: FindingCode }[]): string[] {
  return findings.map(({ code }) => code).filter((code) => PROBLEMS[code].severity === 'error');
}

/** What `expect` in coordinate_files.csv asks for; the encoding is the manifest's to check. */
const MEANING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/hydrogens missing/, ['MOLECULE_NO_HYDROGENS']],
  [/several residues/, ['MOLECULE_SEVERAL_RESIDUES']],
  [/two models/, ['MOLECULE_SEVERAL']],
  [/>200/, ['MOLECULE_TOO_MANY_ATOMS']],
  [/^refuse$/, ['MOLECULE_NO_ATOMS']],
];

describe.each(['own', 'public'])('%s', (owner) => {
  const absent = !existsSync(path.join(DATA, owner));

  test.skipIf(absent)('every coordinate file is judged as its answer key says', () => {
    for (const { file = '', atoms = '', expect: wanted = '' } of table(
      owner,
      'molecules',
      'coordinate_files.csv',
    )) {
      if (wanted.startsWith('real file')) continue;
      const extension = path.extname(file);
      const reader = { '.pdb': readPdb, '.mol2': readMol2 }[extension] ?? readMolfile;
      const { elements, findings } = reader(text(owner, 'molecules', file));
      const meaning = MEANING.find(([pattern]) => pattern.test(wanted))?.[1] ?? [];
      expect(errors(findings), file).toEqual(meaning);
      const counted = Number(atoms);
      // With two models the key counts the first, with waters all of them.
      if (atoms !== '' && counted > 0) expect(elements.length, file).toBe(counted);
    }
  });

  test.skipIf(absent)('no molecule that the engine parameterises is refused', () => {
    for (const { smiles = '' } of table(owner, 'molecules', 'molecules.csv')) {
      expect(readSmiles(smiles).findings, smiles).toEqual([]);
    }
  });
});
