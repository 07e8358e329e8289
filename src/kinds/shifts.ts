/** The kind `shifts`: NMR chemical shifts of a protein, as NEF or NMR-STAR. */
import { MODEL_CLASSES } from '../domain/item.ts';
import { readShiftsInput } from './protein/shifts-input.ts';
import { defineKind } from './kind.ts';

export const shifts = defineKind({
  name: 'shifts',
  words: { one: 'shift file', many: 'shift files' },
  table: 'shifts',
  measuresTable: 'shift-measures',
  input: {
    column: null,
    extensions: ['.nef', '.str', '.star'],
    read: ({ text }, options) => readShiftsInput(text, options),
  },
  options: {
    model_class: { key: 'modelClass', type: 'choice', allowed: MODEL_CLASSES, default: '1' },
    original_numbering: { key: 'originalNumbering', type: 'flag', default: true },
  },
  share: null,
  usualFiles: ['history', 'csv'],
  // b2bTools writes none for shifts.
  rareFiles: ['metadata'],
  // b2bTools 3.0.9.
  estimate: { seconds: 1.8, bytes: 10_000 },
});
