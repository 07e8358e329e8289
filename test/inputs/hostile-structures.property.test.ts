/** Any text as a file with coordinates: gives findings, never an exception, in linear time. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { MoleculeOptions } from '../../src/domain/item.ts';
import { readStructureInput, type MoleculeExtension } from '../../src/inputs/molecules/molecule.ts';
import { openChemist } from '../../src/inputs/molecules/rdkit.ts';
import { PROBLEMS } from '../../src/manifest/problems/problems.ts';
import { expectWords, mutations, sample } from './mutations.ts';

const OPTIONS: MoleculeOptions = {
  kind: 'molecule',
  chargeMethod: 'bcc',
  netCharge: 0,
  atomType: 'gaff2',
};

const SAMPLES: Readonly<Partial<Record<MoleculeExtension, readonly string[]>>> = {
  '.pdb': [sample('demo/files/caffeine.pdb'), sample('invalid/files/with_waters.pdb')],
  '.mol2': [sample('demo/files/uracil.mol2')],
  '.sdf': [sample('demo/files/ibuprofen.sdf'), sample('demo/files/thiazole.mdl')],
};
const EXTENSIONS = Object.keys(SAMPLES) as MoleculeExtension[];

/** Fragments that mean something in one of the formats. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['\n', '\r', '\r\n', ' ', '\t', '\u0000', '\u2028', '\uFEFF', '__proto__', '-', '*'],
    ...['HETATM', 'ATOM  ', 'MODEL ', 'ENDMDL\n', 'CONECT', 'END\n', 'TER\n', ' HOH ', '99999'],
    ...['@<TRIPOS>ATOM\n', '@<TRIPOS>BOND\n', '@<TRIPOS>MOLECULE\n', 'Du', 'C.ar', '****'],
    ...[
      'M  END\n',
      'M  CHG  1   1  -1\n',
      '$$$$\n',
      ' V3000',
      ' V2000',
      '999',
      'NaN',
      '1e999',
      'R#',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const chemist = openChemist();
afterAll(() => chemist.close());

async function expectSane(extension: MoleculeExtension, text: string): Promise<void> {
  const { findings, input, canonical } = await readStructureInput(
    text,
    extension,
    OPTIONS,
    chemist,
  );
  expectWords(findings);
  if (findings.some(({ code }) => PROBLEMS[code].severity === 'error')) return;
  expect(input?.text).toBe(text);
  expect(canonical).not.toBe('');
}

describe.each(EXTENSIONS)('%s', (extension) => {
  test('reads mutations of valid files', async () => {
    await fc.assert(
      fc.asyncProperty(mutations(SAMPLES[extension] ?? [], piece), (text) =>
        expectSane(extension, text),
      ),
      { numRuns: 300 },
    );
  });

  test('reads any text', async () => {
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, (any) => expectSane(extension, any)),
      { numRuns: 300 },
    );
  });

  test.each([' ', '\n', '-', '9', 'C', 'HETATM', '@<TRIPOS>ATOM\n', 'M  V30 '])(
    'reads 2 MB of %j in linear time',
    async (word) => {
      // Quadratic time would take hours.
      await expectSane(extension, word.repeat(2_000_000 / word.length));
    },
    20_000,
  );
});
