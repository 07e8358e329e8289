/** Any text as an input file of any kind: gives findings, never an exception, in linear time. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type MoleculeExtension,
  readSmilesInput,
  readStructureInput,
} from '../../src/kinds/molecule/input.ts';
import type { Reading } from '../../src/kinds/kind.ts';
import { readAlignmentInput } from '../../src/kinds/protein/alignment.ts';
import { readFasta, readSequenceInput } from '../../src/kinds/protein/fasta.ts';
import { readShiftsInput } from '../../src/kinds/protein/shifts-input.ts';
import { toProblem } from '../../src/manifest/problems.ts';

interface Format {
  readonly read: (text: string) => Reading | Promise<Reading>;
  readonly samples: readonly string[];
  /** Fragments that mean something in it. */
  readonly pieces: readonly string[];
  /** What is put around any text, so that it is read as this format. */
  readonly around: readonly (readonly [before: string, after: string])[];
}

function sample(name: string): string {
  return readFileSync(path.join(import.meta.dirname, '..', '..', 'batches', name), 'utf8');
}

const PROTEIN_PIECES = [
  ...['>', '>x', '*', '-', '.', '\n;', ';', "'", '"', '#', '_', '//', '# STOCKHOLM 1.0\n'],
  ...['loop_', 'stop_', 'save_', 'save_x', 'data_', 'data_y', '_nef_', 'CLUSTAL\n'],
];
const AROUND_PROTEINS = [
  ['', ''],
  ['data_x\n', ''],
  ['# STOCKHOLM 1.0\n', '\n//\n'],
  ['CLUSTAL\n', ''],
] as const;

function protein(read: Format['read'], ...samples: string[]): Format {
  return { read, samples, pieces: PROTEIN_PIECES, around: AROUND_PROTEINS };
}

const MOLECULE_PIECES = [
  ...['HETATM', 'ATOM  ', 'MODEL ', 'ENDMDL\n', 'CONECT', 'END\n', 'TER\n', ' HOH ', '99999'],
  ...['@<TRIPOS>ATOM\n', '@<TRIPOS>BOND\n', '@<TRIPOS>MOLECULE\n', 'Du', 'C.ar', '****', '*', '-'],
  ...['M  END\n', 'M  CHG  1   1  -1\n', '$$$$\n', ' V3000', ' V2000', '999', 'R#'],
];

const BCC = { kind: 'molecule', chargeMethod: 'bcc', netCharge: 0, atomType: 'gaff2' } as const;

function molecule(extension: MoleculeExtension, ...samples: string[]): Format {
  const read = (text: string) => readStructureInput(text, extension, BCC);
  return { read, samples: samples.map(sample), pieces: MOLECULE_PIECES, around: [['', '']] };
}

const FORMATS: Readonly<Record<string, Format>> = {
  sequence: protein(
    (text) => readSequenceInput(text, { kind: 'sequence', predictors: ['psper'] }, 'row'),
    sample('demo/files/FER_PEPAS.fasta'),
    sample('invalid/files/three.fasta'),
  ),
  alignment: protein(
    readAlignmentInput,
    sample('demo/files/gst2.fasta'),
    `${sample('invalid/files/cut_off.sto')}//\n`,
    'CLUSTAL W\n\none  MN-QQQTALN 9\ntwo  MNKQQQTALN 10\n     ** *******\n',
  ),
  shifts: protein(
    (text) => readShiftsInput(text, { kind: 'shifts', modelClass: '1', originalNumbering: true }),
    sample('invalid/files/few_values.nef'),
    sample('invalid/files/author_numbers.str'),
    sample('demo/files/bmr5387_ubiquitin.str').slice(0, 20_000),
  ),
  SMILES: {
    read: (text) => readSmilesInput(text, BCC),
    samples: ['c1ccccc1CCC(=O)CC', 'C[C@H]([NH3+])C(=O)[O-]', 'F/C=C\\C[S@](=O)N', 'CC(F)C1CCN1Cl'],
    pieces: [
      ...['C', 'c', 'N', 'n', '1', '%10', '(', ')', '[', ']', '.', '=', '#', '/', '@', '[O-]'],
      ...['Cl', '[nH]', '[C@H]', '[H]', '[CH2]', '*', '-', '+', '>', 'é', '9', ':'],
    ],
    around: [['', '']],
  },
  '.pdb': molecule('.pdb', 'demo/files/caffeine.pdb', 'invalid/files/with_waters.pdb'),
  '.mol2': molecule('.mol2', 'demo/files/uracil.mol2'),
  '.sdf': molecule('.sdf', 'demo/files/ibuprofen.sdf', 'demo/files/thiazole.mdl'),
};

/**
 * All findings have a message without control codes; there is an input unless one is an error; and what is sent of
 * residues can be read back unchanged.
 */
async function expectSane(name: string, text: string): Promise<void> {
  const { read } = FORMATS[name]!;
  const { findings, input, canonical } = await read(text);
  for (const found of findings) {
    const place = { file: 'm.csv', line: 2, id: 'row' };
    const { message, remedy } = toProblem(found, place);
    expect(message).not.toMatch(/undefined|\[object|\p{Cc}/u);
    expect(remedy).not.toBe('');
  }
  if (findings.some(({ severity }) => severity === 'error')) return;
  expect(canonical).not.toBe('');
  if (!['sequence', 'alignment'].includes(name)) {
    expect(input?.text).toBe(text);
    return;
  }
  const sent = input?.text ?? '';
  const { records } = readFasta(sent);
  expect(records.map(({ residues }) => residues).join('')).toMatch(/^[A-Za-z-]+$/);
  expect(await read(sent)).toMatchObject({ input: { text: sent }, canonical });
}

describe.each(Object.keys(FORMATS))('%s', (name) => {
  const { samples, pieces, around } = FORMATS[name]!;
  const piece = fc.oneof(
    fc.constantFrom(
      ...[...pieces, '\n', '\r', '\r\n', ' ', '\t', '\u0000', '\u2028', '\uFEFF'],
      ...['__proto__', 'NaN', '1e999'],
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );

  test('reads mutations of valid files', async () => {
    const edit = fc.record({ at: fc.nat(), remove: fc.nat({ max: 40 }), insert: piece });
    const edits = fc.array(edit, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), edits, async (good, all) => {
        const text = all.reduce((before, { at, remove, insert }) => {
          const place = at % (before.length + 1);
          return before.slice(0, place) + insert + before.slice(place + remove);
        }, good);
        await expectSane(name, text);
      }),
      { numRuns: 300 },
    );
  });

  test('reads any text', async () => {
    const text = fc.array(piece, { maxLength: 30 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (any) => {
        for (const [before, after] of around) await expectSane(name, before + any + after);
      }),
      { numRuns: 300 },
    );
  });

  /** Input that makes a regular expression backtrack: one piece many times, then another. It would take minutes. */
  test.each([
    ...[' ', '\n', 'A', '-.', '9', '>a\nMN*\n', `'" `, 'loop_ _a 1\n', 'save_a save_\n'],
    ...['name MN-Q\n', 'HETATM', '@<TRIPOS>ATOM\n', 'M  V30 '],
  ])('reads 300 kB of %j in linear time', async (unit) => {
    const many = unit.repeat(300_000 / unit.length);
    const open = [['>a\n', ''], ['data_x\nloop_\n_a\n', '']] as const; // prettier-ignore
    for (const [before, after] of [...around, ...open]) {
      await FORMATS[name]!.read(`${before}${many}!\n${after}`);
    }
  });
});
