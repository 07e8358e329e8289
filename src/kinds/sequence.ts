/** The kind `sequence`: one protein sequence, with predictions for each residue. */
import { DEFAULT_PREDICTORS, EARLIER_NAMES, PREDICTORS } from '../domain/item.ts';
import { FASTA_EXTENSIONS, recogniseSequence } from './protein/recognise.ts';
import { readSequenceInput } from './protein/sequence-input.ts';
import { defineKind } from './kind.ts';

export const sequence = defineKind({
  name: 'sequence',
  words: { one: 'sequence', many: 'sequences' },
  table: 'residues',
  measuresTable: 'sequence-measures',
  input: {
    column: { name: 'sequence', synonyms: ['seq', 'protein_sequence', 'aa_sequence', 'fasta'] },
    extensions: FASTA_EXTENSIONS,
    records: Object.fromEntries(FASTA_EXTENSIONS.map((extension) => [extension, 'fasta'])),
    recognise: recogniseSequence,
    read: ({ id, text }, options) => readSequenceInput(text, options, id ?? 'sequence'),
  },
  options: {
    predictors: {
      key: 'predictors',
      type: 'list',
      allowed: PREDICTORS,
      default: DEFAULT_PREDICTORS,
      aliases: Object.fromEntries(Object.entries(EARLIER_NAMES).map(([name, old]) => [old, name])),
      problem: 'MANIFEST_PREDICTOR_UNKNOWN',
    },
  },
  // A job runs all predictors that its rows request.
  share: {
    covers: (job, wanted) => wanted.predictors.every((one) => job.predictors.includes(one)),
    combine: (one, other) => ({
      kind: 'sequence',
      predictors: [...new Set([...one.predictors, ...other.predictors])],
    }),
  },
  usualFiles: ['history', 'csv', 'metadata'],
  rareFiles: [],
  // b2bTools 3.0.9. All five predictors of one protein: 90 % within 12 s, at most 24 s.
  estimate: { seconds: 3.2, bytes: 60_000 },
});
