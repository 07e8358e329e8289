/** One case per code is in test/goldens/invalid.txt; here are the formats, and what decides whether the engine can use a file. */
import { describe, expect, test } from 'vitest';
import type { ModelClass, ShiftsOptions } from '../../../src/kinds/vocabulary.ts';
import { shifts } from '../../../src/kinds/protein/index.ts';
import { readShiftsInput } from '../../../src/kinds/protein/shifts-input.ts';

const ATOMS = { N: 119.2, H: 8.1, CA: 55.3, HA: 4.4, C: 175.1, CB: 33.2, HB2: 2.1 };
type Atom = keyof typeof ATOMS;
const ALL = Object.keys(ATOMS) as Atom[];
const BACKBONE: readonly Atom[] = ['N', 'H', 'CA'];

const options = (modelClass: ModelClass = '2', originalNumbering = true): ShiftsOptions => ({
  kind: 'shifts',
  modelClass,
  originalNumbering,
});

/** A save frame: its tags, then a loop of columns and rows. */
function frame(name: string, tags: string, columns: readonly string[], rows: string): string {
  const loop = columns.length === 0 ? '' : `loop_\n${columns.join('\n')}\n${rows}   stop_\n`;
  return `save_${name}\n${tags}${loop}save_\n`;
}

const prefixed = (prefix: string, ...names: string[]) => names.map((name) => `${prefix}${name}`);

function nef(atoms: readonly Atom[] = ALL): string {
  const shifts = ['MET', 'GLN', 'SER'].flatMap((residue, n) =>
    atoms.map((atom) => `A ${String(n + 1)} ${residue} ${atom} ${String(ATOMS[atom])}\n`),
  );
  const tag = (sort: string) => `_nef_${sort}.sf_category nef_${sort}\n`;
  const residue = ['chain_code', 'sequence_code', 'residue_name'];
  return [
    'data_small\n',
    frame(
      'nef_molecular_system',
      tag('molecular_system'),
      prefixed('_nef_sequence.', 'index', ...residue),
      '1 A 1 MET\n2 A 2 GLN\n3 A 3 SER\n',
    ),
    frame(
      'nef_chemical_shift_list_1',
      tag('chemical_shift_list'),
      prefixed('_nef_chemical_shift.', ...residue, 'atom_name', 'value'),
      shifts.join(''),
    ),
  ].join('');
}

const STAR = [
  'data_1\n',
  frame(
    'assembly',
    '_Assembly.ID 1\n',
    prefixed('_Entity_assembly.', 'ID', 'Entity_ID', 'Entity_label', 'Asym_ID', 'Details'),
    '1 1 $p A .\n',
  ),
  frame(
    'p',
    '_Entity.ID   1\n_Entity.Type polymer\n',
    prefixed('_Entity_comp_index.', 'ID', 'Auth_seq_ID', 'Comp_ID'),
    '1 . MET\n2 . GLN\n',
  ),
  frame(
    'shifts',
    '',
    prefixed('_Atom_chem_shift.', 'ID', 'Entity_ID', 'Seq_ID', 'Comp_ID', 'Atom_ID', 'Val'),
    '1 1 2 GLN N 119.2\n2 1 2 GLN H 8.1\n3 1 2 GLN CA 55.3\n',
  ),
].join('');

const category = (name: string) => `_Saveframe_category ${name}\n`;
const STAR21 = [
  'data_15000\n',
  frame(
    'polymer',
    category('monomeric_polymer'),
    ['_Residue_seq_code', '_Residue_label'],
    '1 MET 2 GLN\n',
  ),
  frame(
    'reference',
    category('chemical_shift_reference'),
    ['_Mol_common_name', '_Chem_shift_value'],
    'DSS 0.00\n',
  ),
  frame(
    'shifts',
    category('assigned_chemical_shifts'),
    prefixed(
      '_',
      'Atom_shift_assign_ID',
      'Residue_seq_code',
      'Residue_label',
      'Atom_name',
      'Chem_shift_value',
    ),
    '1 2 GLN N 119.2\n2 2 GLN H 8.1\n3 2 GLN CA 55.3\n',
  ),
].join('');

const codes = (text: string, given = options()): string[] =>
  readShiftsInput(text, given).findings.map(({ code }) => code);

describe('the format of shifts is detected from the content', () => {
  test.each([
    ['NEF', nef(), 'input.nef'],
    ['the example', shifts.examples?.[0]?.text ?? '', 'input.nef'],
    ['NMR-STAR', STAR, 'input.str'],
    ['CRLF', STAR.replaceAll('\n', '\r\n'), 'input.str'],
    ['NMR-STAR 2.1, without its references', STAR21, 'input.str'],
  ])('%s', (_, text, name) => {
    const read = readShiftsInput(text, options('3'));
    expect(read).toMatchObject({ input: { name }, findings: [] });
  });

  test.each([
    ['nothing', ''],
    ['mmCIF', 'data_1ABC\n_entry_x.id 1ABC\nloop_\n_atom_site.id\n1\n'],
    ['NEF without its first line', nef().replace('data_small\n', '')],
  ])('%s is neither NEF nor NMR-STAR', (_, text) => {
    expect(codes(text)).toEqual(['SHIFTS_FORMAT_UNKNOWN']);
  });
});

describe('input that stops the engine, or leads to a wrong result', () => {
  test.each([
    ['no shifts', nef([]), 'SHIFTS_NO_LOOP'],
    ['no entity', STAR.replace(/save_p\n[^]*?\nsave_\n/, ''), 'SHIFTS_NO_SEQUENCE'],
    ['no Details', STAR.replace('bly.Details', 'bly.Role'), 'SHIFTS_TAG_MISSING'],
    ['no residue numbers', STAR.replace('ft.Seq_ID', 'ft.Val_err'), 'SHIFTS_TAG_MISSING'],
    ['a letter in a residue number', nef().replaceAll('A 2 ', 'A 2A '), 'SHIFTS_SEQUENCE_CODE'],
    ['no residue', nef().replace('A 2 GLN C 1', '@- @2 . C 1'), 'SHIFTS_RESIDUE_UNKNOWN'],
    ['a number too high', STAR.replace('2 GLN CA', '9 GLN CA'), 'SHIFTS_RESIDUE_UNKNOWN'],
    ['another residue', nef().replace('A 2 GLN C 1', 'A 2 GLU C 1'), 'SHIFTS_RESIDUE_DIFFERS'],
    ['a value with a comma', nef().replace('CA 55.3', 'CA 55,3'), 'SHIFTS_VALUE'],
  ])('%s', (_, text, code) => {
    expect(codes(text, options(text.includes('_Entity.ID') ? '3' : '2'))[0]).toBe(code);
  });

  test('shifts of a ligand, which the engine would assign to the first chain', () => {
    const ligand = 'save_l\n_Entity.ID 2\n_Entity.Type non-polymer\nsave_\n';
    const text = STAR.replace('save_shifts', `${ligand}save_shifts`);
    expect(codes(text, options('3'))).toEqual([]);
    const shift = '4 2 1 ZN ZN 60.0\n   stop_\nsave_\n';
    const of = text.replace(/ {3}stop_\nsave_\n$/, shift);
    expect(codes(of, options('3'))).toEqual(['SHIFTS_OF_LIGAND']);
  });

  test("but not an atom that no model uses, or the author's numbers where they do not matter", () => {
    expect(codes(nef().replace('A 3 SER N ', 'A 3 SER HG .\nA 3 SER N '))).toEqual([]);
    const text = STAR.replace('2 . GLN', '2 102 GLN');
    expect(codes(text, options('3', true))).toEqual(['SHIFTS_AUTHOR_NUMBERS']);
    expect(codes(text, options('3', false))).toEqual([]);
    // Not needed for a residue without a shift.
    expect(codes(STAR.replace('1 . MET', '1 101 MET'), options('3', true))).toEqual([]);
  });
});

test('a result without values is predicted, with the model that has values', () => {
  for (const model of ['1', '2'] as const) {
    const remedy = 'Set `model_class` to `3`, which has values for 3 of 3 residues.';
    const { findings } = readShiftsInput(nef(BACKBONE), options(model));
    expect(findings).toMatchObject([{ code: 'SHIFTS_ALL_MISSING', remedy }]);
  }
  expect(codes(nef(BACKBONE), options('3'))).toEqual([]);
  const { findings } = readShiftsInput(nef(['CB', 'HA']), options('3'));
  const remedy = expect.stringContaining('Give at least the shifts of N, H and CA');
  expect(findings).toMatchObject([{ code: 'SHIFTS_ALL_MISSING', remedy }]);
});

test('one residue of many is a result, with a warning if another model has more', () => {
  const text = nef(ALL.filter((atom) => atom !== 'HB2'));
  expect(codes(text, options('1'))).toEqual(['SHIFTS_ALL_MISSING']);
  const shift = (atom: Atom): string => `A 1 MET ${atom} ${String(ATOMS[atom])}`;
  const one = text.replace(shift('CB'), `${shift('CB')}\n${shift('HB2')}`);
  expect(codes(one, options('1'))).toEqual([]);
  const longer = one.replace('3 A 3 SER\n', '3 A 3 SER\n4 A 4 ALA\n5 A 5 ALA\n');
  expect(codes(longer, options('1'))).toEqual(['SHIFTS_FEW_VALUES']);
});

test('the file is sent unchanged, with the extension that the engine expects', () => {
  const { input, canonical } = readShiftsInput(STAR.replaceAll('\n', '\r\n'), options('3'));
  expect(input).toEqual({ name: 'input.str', text: STAR.replaceAll('\n', '\r\n') });
  expect(canonical).toBe(STAR.trimEnd());
  expect(readShiftsInput(nef(), options()).input?.name).toBe('input.nef');
});
