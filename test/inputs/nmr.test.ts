import { describe, expect, test } from 'vitest';
import { readShifts } from '../../src/inputs/nmr.ts';

const NEF = `data_x
save_nef_chemical_shift_list_1
   _nef_chemical_shift_list.sf_category nef_chemical_shift_list
   loop_
      _nef_chemical_shift.chain_code
      _nef_chemical_shift.value
      A 8.1
      A 8.2

   stop_
save_
`;
const STAR = `data_1
save_entry
   _Entry.ID 1
save_
save_shifts
   loop_
      _Atom_chem_shift.ID
      _Atom_chem_shift.Val
      1 8.1
   stop_
save_
`;

const STAR21 = `data_15000
save_entry_information
   _Saveframe_category entry_information
save_
save_shifts
   loop_
      _Atom_shift_assign_ID
      _Chem_shift_value
      1 8.1
   stop_
save_
`;

describe('the format of shifts is told by content', () => {
  test.each([
    ['NEF', NEF, 'nef', 2],
    ['NMR-STAR', STAR, 'star', 1],
    ['CRLF', STAR.replaceAll('\n', '\r\n'), 'star', 1],
    ['NMR-STAR 2.1', STAR21, 'star', 1],
    ['lower case', STAR.toLowerCase(), 'star', 1],
  ])('%s', (_, text, format, shifts) => {
    expect(readShifts(text)).toEqual({ format, shifts, findings: [] });
  });

  test.each([
    ['a letter', 'This is a letter, not an NEF file.\n1 A MET 54.5\n'],
    ['nothing', ''],
    ['mmCIF', 'data_1ABC\n_entry_x.id 1ABC\nloop_\n_atom_site.id\n1\n'],
    ['NEF without its first line', NEF.replace('data_x\n', '')],
  ])('%s is neither', (_, text) => {
    expect(readShifts(text)).toEqual({
      format: null,
      shifts: 0,
      findings: [{ code: 'SHIFTS_FORMAT_UNKNOWN', facts: {} }],
    });
  });
});

test.each([
  ['NEF', NEF.replace(/ {6}A .*\n/g, '')],
  ['NEF', NEF.replace('_nef_chemical_shift.value', '_nef_chemical_shift.value_uncertainty')],
  ['NMR-STAR', STAR.replace('      1 8.1\n', '')],
  ['NMR-STAR', STAR.slice(0, STAR.indexOf('save_shifts'))],
])('%s without a shift is told of', (format, text) => {
  expect(readShifts(text).findings).toEqual([{ code: 'SHIFTS_NO_LOOP', facts: { format } }]);
});
