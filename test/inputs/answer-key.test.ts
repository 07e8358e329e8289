/** The checks against files whose outcome in the real engines is known; skipped where the sample data are absent. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { checkAlignment } from '../../src/inputs/alignment.ts';
import { checkSequences, readFasta } from '../../src/inputs/fasta.ts';
import { readMol2 } from '../../src/inputs/mol2.ts';
import { readMolfile } from '../../src/inputs/molfile.ts';
import { readShifts } from '../../src/inputs/nmr.ts';
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

  test.skipIf(absent)('no alignment of real proteins is refused', () => {
    for (const { file = '' } of table(owner, 'alignments', 'alignments.csv')) {
      const name = file.endsWith('.fasta') ? file : `${file}.fasta`;
      expect(errors(checkAlignment(text(owner, 'alignments', name))), name).toEqual([]);
    }
  });

  test.skipIf(absent)('no protein is refused, not even by psper', () => {
    const fasta = readFasta(text(owner, 'sequences', 'proteins.fasta'));
    expect(fasta.records.length).toBeGreaterThan(0);
    const inRange = fasta.records.filter(
      ({ residues }) => residues.length >= 20 && residues.length <= 3000,
    );
    expect(errors(checkSequences({ ...fasta, records: inRange }, { psper: true }))).toEqual([]);
  });

  test.skipIf(absent)('shift files are told apart, and those without shifts refused', () => {
    const names = readdirSync(path.join(DATA, owner, 'shifts')).filter((name) =>
      /\.(nef|str)$/.test(name),
    );
    for (const name of names.filter(
      (one) => /^(bmr|no_shift|not_star)/.test(one) && !/shifts_only/.test(one),
    )) {
      const { format, findings } = readShifts(text(owner, 'shifts', name));
      if (name.startsWith('not_star')) expect(format, name).toBeNull();
      else expect(format, name).toBe(name.endsWith('.nef') ? 'nef' : 'star');
      expect(findings.length, name).toBe(name.startsWith('bmr') ? 0 : 1);
    }
  });
});
