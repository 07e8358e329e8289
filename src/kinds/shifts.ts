/** The kind `shifts`: NMR chemical shifts of a protein, as NEF or NMR-STAR. */
import { MODEL_CLASSES } from './vocabulary.ts';
import { readShiftsInput, recogniseShifts } from './protein/shifts-input.ts';
import { indicesIn, measuredIn, SHIFTS_MEASURES } from './protein/measures.ts';
import { readShifts } from './protein/reading.ts';
import { checkFiles } from './protein/files.ts';
import { defineKind } from './kind.ts';
import { packShifts } from './pack.ts';
import { COMPARED, EXTRA, RESULT } from './protein/artefacts.ts';
import { SHIFTS_TABLE } from './protein/result-tables.ts';

/** Three residues, with the atoms of model 3. */
const EXAMPLE = `data_example
save_nef_molecular_system
   loop_
      _nef_sequence.index
      _nef_sequence.chain_code
      _nef_sequence.sequence_code
      _nef_sequence.residue_name
      1 A 1 MET
      2 A 2 GLN
      3 A 3 SER
   stop_
save_
save_nef_chemical_shift_list_1
   loop_
      _nef_chemical_shift.chain_code
      _nef_chemical_shift.sequence_code
      _nef_chemical_shift.residue_name
      _nef_chemical_shift.atom_name
      _nef_chemical_shift.value
      A 1 MET N 119.2
      A 1 MET H 8.1
      A 1 MET CA 55.3
      A 2 GLN N 120.4
      A 2 GLN H 8.3
      A 2 GLN CA 56.1
      A 3 SER N 116.7
      A 3 SER H 8.2
      A 3 SER CA 58.4
   stop_
save_
`;

export const shifts = defineKind({
  name: 'shifts',
  words: { one: 'shift file', many: 'shift files' },
  folder: 'shifts',
  input: {
    column: null,
    extensions: ['.nef', '.str', '.star'],
    recognise: recogniseShifts,
    read: ({ text }, options) => readShiftsInput(text, options),
  },
  options: {
    model_class: {
      key: 'modelClass',
      description: 'Model of ShiftCrypt: 1 all atoms, 2 common atoms, 3 N and H only.',
      type: 'choice',
      allowed: MODEL_CLASSES,
      default: '1',
    },
    original_numbering: {
      key: 'originalNumbering',
      description: 'Whether residues keep the numbers of the file.',
      type: 'flag',
      default: true,
    },
  },
  share: null,
  artefacts: {
    ...RESULT,
    ...COMPARED,
    // b2bTools writes none for shifts.
    metadata: { ...COMPARED.metadata, presence: 'optional' },
    ...EXTRA,
  },
  compare: (texts, { remoteId }) => checkFiles(texts, remoteId),
  reads: ['result.json'],
  readResult: ({ get }) => readShifts(get('result.json') ?? ''),
  measures: SHIFTS_MEASURES,
  table: SHIFTS_TABLE,
  measuresTable: 'shift-measures',
  summary: (result) => `${measuredIn(result).length} of ${indicesIn(result).length} residues`,
  pack: packShifts,
  examples: [{ text: EXAMPLE, extension: '.nef', options: { model_class: '3' } }],
  // b2bTools 3.0.9.
  estimate: { seconds: 1.8, bytes: 10_000 },
});
