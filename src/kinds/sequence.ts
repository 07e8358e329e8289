/** The kind `sequence`: one protein sequence, with predictions for each residue. */
import { DEFAULT_PREDICTORS, EARLIER_NAMES, PREDICTORS } from './vocabulary.ts';
import { FASTA_EXTENSIONS, readSequenceInput } from './protein/fasta.ts';
import { recogniseSequence } from './protein/alignment.ts';
import { SEQUENCE_MEASURES } from './protein/measures.ts';
import { readSequences } from './protein/reading.ts';
import type { SequenceReading } from './reading.ts';
import { checkFiles } from './protein/files.ts';
import { defineKind } from './kind.ts';
import { packSequences } from './pack.ts';
import { COMPARED, EXTRA, RESULT } from './protein/artefacts.ts';
import { RESIDUES_TABLE } from './protein/result-tables.ts';

export const sequence = defineKind({
  name: 'sequence',
  words: { one: 'sequence', many: 'sequences' },
  folder: 'sequences',
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
      description: 'What is predicted for each residue.',
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
  showsOptions: true,
  artefacts: { ...RESULT, ...COMPARED, ...EXTRA },
  compare: (texts, { remoteId }) => checkFiles(texts, remoteId),
  reads: ['result.json'],
  readResult: ({ get }, { names, sharedBy }) => {
    const reading = readSequences(get('result.json') ?? '', names);
    return reading && sharedBy ? renameProteins(reading, names, sharedBy) : reading;
  },
  measures: SEQUENCE_MEASURES,
  table: RESIDUES_TABLE,
  measuresTable: 'sequence-measures',
  summary({ proteins }) {
    const residues = proteins.reduce((sum, protein) => sum + protein.residues.length, 0);
    const chains = proteins.length > 1 ? `${proteins.length} chains, ` : '';
    return `${chains}${residues} residues`;
  },
  pack: packSequences,
  examples: [{ text: 'MKTLLLTLVVVTIVCLDLGYTRAS' }],
  // b2bTools 3.0.9. All five predictors of one protein: 90 % within 12 s, at most 24 s.
  estimate: { seconds: 3.2, bytes: 60_000 },
});

/** The records of a row whose result came from the job of another, in order, have the names of its own input. */
function renameProteins(
  reading: SequenceReading,
  names: Readonly<Record<string, string>> | undefined,
  { leader, own }: { readonly leader: string; readonly own: string },
): SequenceReading {
  const { proteins } = reading;
  const headers = Object.values(names ?? {});
  const isPaired = headers.length === proteins.length;
  return {
    ...reading,
    proteins: proteins.map((protein, n) => ({
      ...protein,
      name: (isPaired && headers[n]) || (protein.name === leader ? own : protein.name),
    })),
  };
}
