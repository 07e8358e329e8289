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
  compare: (texts, { remoteId }) => checkFiles(texts, 'shifts', remoteId),
  reads: ['result.json'],
  readResult: ({ get }) => readShifts(get('result.json') ?? ''),
  measures: SHIFTS_MEASURES,
  table: SHIFTS_TABLE,
  measuresTable: 'shift-measures',
  summary: (result) => `${measuredIn(result).length} of ${indicesIn(result).length} residues`,
  pack: packShifts,
  // b2bTools 3.0.9.
  estimate: { seconds: 1.8, bytes: 10_000 },
});
