/**
 * The kinds of proteins: `sequence`, with predictions for each residue; `alignment`, for each row and column; `shifts`, NMR
 * chemical shifts as NEF or NMR-STAR. Times and sizes are those of b2bTools 3.0.9.
 */
import { checkPrediction, type PredictionOptions, checkFiles } from './check.ts';
import { withAnswerCheck, parseEngineStatement, isSynthetic } from '../provenance.ts';
import { type Artefact, type JobFacts, defineKind, type ResultItem } from '../kind.ts';
import { NO_TIMING, type Timing } from '../../domain/outcomes.ts';
import { toObject, parseBoundedJson, readLooseText } from '../json.ts';
import { SEQUENCE_OPTIONS, SHIFTS_OPTIONS } from '../vocabulary.ts';
import {
  ALIGNMENT_EXTENSIONS,
  readAlignmentInput,
  recogniseAlignment,
  recogniseSequence,
} from './alignment.ts';
import { FASTA_EXTENSIONS, readSequenceInput } from './fasta.ts';
import {
  ALIGNMENT_MEASURES,
  ALIGNMENT_SERIES,
  listIndices,
  listMeasured,
  SEQUENCE_MEASURES,
  SEQUENCE_SERIES,
  SHIFTS_MEASURES,
  SHIFTS_SERIES,
  ALIGNMENTS_TABLE,
  RESIDUES_TABLE,
  SHIFTS_TABLE,
} from './measures.ts';
import { packAlignment, packSequences, packShifts, type SequenceReading } from './reading.ts';
import { readAlignment, readSequences, readShifts } from './payload.ts';
import { readShiftsInput, recogniseShifts } from './shifts-input.ts';

export const RESULT = {
  result: {
    file: 'result.json',
    presence: 'required',
    check: withAnswerCheck('result', (bytes, { options, input }: JobFacts<PredictionOptions>) =>
      checkPrediction(bytes, options, input),
    ),
    // The processing log names other engines.
    describe: (text: string) => (isSynthetic(text) ? { engine: 'synthetic' } : {}),
  },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

/** They are compared with the result. */
const COMPARED = {
  history: {
    file: 'history.json',
    presence: 'usual',
    when: 'ended',
    describe: (text: string) => ({ engine: readEngine(text), timing: readTiming(text) }),
  },
  csv: { file: 'result.csv', presence: 'usual' },
  metadata: { file: nameByType('metadata'), presence: 'usual' },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

const DISTRIBUTIONS = {
  distributions: { file: nameByType('distributions'), presence: 'usual' },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

/** The contract does not show the content (4.6): the content type decides, CSV by default. */
function nameByType(name: string) {
  return (contentType: string | null): string => {
    const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return `${name}.${type === 'application/json' || type.endsWith('+json') ? 'json' : 'csv'}`;
  };
}

/** From the processing log of a prediction (contract of the prediction service, 2.6); null if it has no times. */
export function readTiming(text: string): Timing | null {
  const entries = readLog(text);
  const at = (...states: string[]): string | null => {
    const entry = entries.find((one) => states.includes(String(one?.['state']).toUpperCase()));
    return readLooseText(entry?.['timestamp']);
  };
  const [queuedAt, startedAt] = [at('ENQUEUED', 'QUEUED'), at('RUNNING')];
  const finishedAt = at('FINISHED', 'FAILED');
  if (startedAt === null && finishedAt === null) return null;
  const queueWaitSeconds = countSeconds(queuedAt, startedAt);
  const elapsedSeconds = countSeconds(startedAt, finishedAt);
  return { ...NO_TIMING, queuedAt, startedAt, finishedAt, queueWaitSeconds, elapsedSeconds };
}

function countSeconds(from: string | null, to: string | null): number | null {
  const length = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
  return Number.isFinite(length) ? length : null;
}

/** From the same log; the last attempt counts. */
function readEngine(text: string): string | null {
  const messages = readLog(text).map((entry) => entry?.['message']);
  const said = messages.filter((message) => typeof message === 'string').map(parseEngineStatement);
  return said.findLast((words) => words !== null) ?? null;
}

function readLog(text: string) {
  const log = toObject(parseBoundedJson(text));
  return [log?.['history'], log?.['timeline']].flatMap((list) =>
    Array.isArray(list) ? list.map(toObject) : [],
  );
}

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
  options: SEQUENCE_OPTIONS,
  // A job runs all predictors that its rows request.
  share: {
    covers: (job, options) => options.predictors.every((one) => job.predictors.includes(one)),
    combine: (one, other) => ({
      kind: 'sequence',
      predictors: [...new Set([...one.predictors, ...other.predictors])],
    }),
  },
  showsOptions: true,
  artefacts: { ...RESULT, ...COMPARED },
  compare: checkFiles,
  reads: ['result.json'],
  readResult: ({ get }, item) =>
    renameProteins(readSequences(get('result.json') ?? '', item.names), item),
  measures: SEQUENCE_MEASURES,
  series: SEQUENCE_SERIES,
  table: RESIDUES_TABLE,
  measuresTable: 'sequence-measures',
  summary({ proteins }) {
    const residues = proteins.reduce((sum, protein) => sum + protein.residues.length, 0);
    return `${proteins.length > 1 ? `${proteins.length} chains, ` : ''}${residues} residues`;
  },
  pack: packSequences,
  examples: [{ text: 'MKTLLLTLVVVTIVCLDLGYTRAS' }],
  // All five predictors of one protein: 90 % within 12 s, at most 24 s.
  estimate: { seconds: 3.2, bytes: 60_000 },
});

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
  artefacts: { ...RESULT, ...COMPARED, ...DISTRIBUTIONS },
  compare: checkFiles,
  reads: ['result.json', 'distributions.json', 'distributions.csv'],
  readResult: ({ get }, { names }) =>
    readAlignment(
      get('result.json') ?? '',
      get('distributions.json') ?? get('distributions.csv'),
      names,
    ),
  measures: ALIGNMENT_MEASURES,
  series: ALIGNMENT_SERIES,
  table: ALIGNMENTS_TABLE,
  measuresTable: 'alignment-measures',
  summary: ({ proteins, columns }) => `${proteins.length} rows, ${columns} columns`,
  pack: packAlignment,
  examples: [
    { text: '>one\nMKTLLLTLVVVTIVCLDLGY\n>two\nMKSLLLTLIVVT-VCLDLGW\n', extension: '.fasta' },
  ],
  estimate: { seconds: 3.1, bytes: 150_000 },
});

/** Three residues, with the atoms of model 3. */
const EXAMPLE = `data_example
save_nef_molecular_system
   _nef_molecular_system.sf_category nef_molecular_system
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
   _nef_chemical_shift_list.sf_category nef_chemical_shift_list
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
  options: SHIFTS_OPTIONS,
  share: null,
  artefacts: {
    ...RESULT,
    ...COMPARED,
    // b2bTools writes none for shifts.
    metadata: { ...COMPARED.metadata, presence: 'optional' },
  },
  compare: checkFiles,
  reads: ['result.json'],
  readResult: ({ get }) => readShifts(get('result.json') ?? ''),
  measures: SHIFTS_MEASURES,
  series: SHIFTS_SERIES,
  table: SHIFTS_TABLE,
  measuresTable: 'shift-measures',
  summary: (result) => `${listMeasured(result).length} of ${listIndices(result).length} residues`,
  pack: packShifts,
  examples: [{ text: EXAMPLE, extension: '.nef', options: { model_class: '3' } }],
  estimate: { seconds: 1.8, bytes: 10_000 },
});

/** The records of a row whose result came from the job of another, in order, have the names of its own input. */
function renameProteins(
  reading: SequenceReading | null,
  { names = {}, sharedBy }: Pick<ResultItem, 'names' | 'sharedBy'>,
): SequenceReading | null {
  if (reading === null || sharedBy === undefined) return reading;
  const headers = Object.values(names);
  const isPaired = headers.length === reading.proteins.length;
  const proteins = reading.proteins.map((protein, n) => {
    const own = protein.name === sharedBy.leader ? sharedBy.own : protein.name;
    return { ...protein, name: (isPaired && headers[n]) || own };
  });
  return { ...reading, proteins };
}
