/** The kind `alignment`: aligned protein sequences, with predictions for each row and column. */
import { readAlignmentInput } from './protein/alignment-input.ts';
import { ALIGNMENT_EXTENSIONS, FASTA_EXTENSIONS, recogniseAlignment } from './protein/recognise.ts';
import { defineKind } from './kind.ts';

export const alignment = defineKind({
  name: 'alignment',
  words: { one: 'alignment', many: 'alignments' },
  table: 'alignments',
  measuresTable: 'alignment-measures',
  input: {
    column: null,
    extensions: [...ALIGNMENT_EXTENSIONS, ...FASTA_EXTENSIONS],
    recognise: recogniseAlignment,
    read: ({ text }) => readAlignmentInput(text),
  },
  options: {},
  share: null,
  usualFiles: ['history', 'csv', 'metadata', 'distributions'],
  rareFiles: [],
  // b2bTools 3.0.9.
  estimate: { seconds: 3.1, bytes: 150_000 },
});
