/** The kind `alignment`: aligned protein sequences, with predictions for each row and column. */
import {
  ALIGNMENT_EXTENSIONS,
  readAlignmentInput,
  recogniseAlignment,
} from './protein/alignment.ts';
import { FASTA_EXTENSIONS } from './protein/fasta.ts';
import { ALIGNMENT_MEASURES } from './protein/measures.ts';
import { readAlignment } from './protein/reading.ts';
import { checkFiles } from './protein/files.ts';
import { defineKind } from './kind.ts';
import { packAlignment } from './pack.ts';
import { COMPARED, DISTRIBUTIONS, EXTRA, RESULT } from './protein/artefacts.ts';
import { ALIGNMENTS_TABLE } from './protein/result-tables.ts';

export const alignment = defineKind({
  name: 'alignment',
  words: { one: 'alignment', many: 'alignments' },
  folder: 'alignments',
  input: {
    column: null,
    extensions: [...ALIGNMENT_EXTENSIONS, ...FASTA_EXTENSIONS],
    recognise: recogniseAlignment,
    read: ({ text }) => readAlignmentInput(text),
  },
  options: {},
  share: null,
  showsOptions: true,
  artefacts: { ...RESULT, ...COMPARED, ...DISTRIBUTIONS, ...EXTRA },
  compare: (texts, { remoteId }) => checkFiles(texts, remoteId),
  reads: ['result.json', 'distributions.json', 'distributions.csv'],
  readResult: ({ get }, { names }) =>
    readAlignment(
      get('result.json') ?? '',
      get('distributions.json') ?? get('distributions.csv'),
      names,
    ),
  measures: ALIGNMENT_MEASURES,
  table: ALIGNMENTS_TABLE,
  measuresTable: 'alignment-measures',
  summary: ({ proteins, columns }) => `${proteins.length} rows, ${columns} columns`,
  pack: packAlignment,
  examples: [
    { text: '>one\nMKTLLLTLVVVTIVCLDLGY\n>two\nMKSLLLTLIVVT-VCLDLGW\n', extension: '.fasta' },
  ],
  // b2bTools 3.0.9.
  estimate: { seconds: 3.1, bytes: 150_000 },
});
