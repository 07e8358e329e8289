/**
 * Checks that a result is correct for the input that was sent. For some inputs the engine ends without an error but
 * with a wrong result: it drops records, predicts nothing, or says "missing" for every residue.
 */
import type { InputText } from '../../domain/item.ts';
import { resultProblem, type ResultProblem } from '../result-problems.ts';
import type { Predictor, SequenceOptions, ShiftsOptions } from '../vocabulary.ts';
import { type FastaRecord, readFasta, residueFindings } from './fasta.ts';
import { type PayloadEntry, readPayload } from './payload.ts';
import { SHIFTS_MISSING } from './reading.ts';
import { readChains } from './shift-files.ts';

export type PredictionOptions =
  | ({ readonly kind: 'sequence' } & SequenceOptions)
  | { readonly kind: 'alignment' }
  | ({ readonly kind: 'shifts' } & ShiftsOptions);

type Problems = Generator<ResultProblem, void>;

/**
 * @param bytes the result as received, or its text
 * @param input null if unknown, and then the options too: checks that need them are skipped
 */
export function checkPrediction(
  bytes: Uint8Array | string,
  options: PredictionOptions,
  input: InputText | null,
): ResultProblem | null {
  const payload = readPayload(bytes);
  return payload.ok
    ? (findProblems(payload.entries, options, input).next().value ?? null)
    : payload;
}

/** The first one counts. */
function* findProblems(
  entries: readonly PayloadEntry[],
  options: PredictionOptions,
  input: InputText | null,
): Problems {
  for (const entry of entries) yield* findUneven(entry);
  const silent = entries.filter(saysNothing);
  // A file of shifts may contain a chain that was not measured; for the other kinds, every record should have values.
  const bearable = options.kind === 'shifts' ? Math.max(0, entries.length - 1) : 0;
  if (silent.length > bearable) {
    yield resultProblem(
      'RESULT_ALL_MISSING',
      `Every value of "${silent[0]?.id ?? ''}" is missing.`,
    );
  }
  const keys = new Set(entries.flatMap(({ values }) => Object.keys(values)));
  for (const { id, values } of entries) {
    // A predictor runs for all proteins of a job or for none.
    const absent = [...keys].filter((key) => !(key in values));
    if (absent.length > 0) yield missing(id, `${absent.join(', ')}, which others have`);
  }
  if (input !== null && options.kind === 'shifts') yield* findOtherChains(entries, input.text);
  else if (input !== null) {
    const { records } = readFasta(input.text);
    yield* findUnfit(records, options.kind === 'alignment');
    yield* findOtherRecords(entries, records);
  }
  if (input !== null && options.kind === 'sequence') {
    yield* findAbsent(entries, options.predictors);
  }
  for (const entry of entries) yield* findGaps(entry);
}

function missing(id: string, what: string): ResultProblem {
  return resultProblem('RESULT_MISSING_VALUES', `"${id}" has no values of ${what}.`);
}

function wrong(message: string): ResultProblem {
  return resultProblem('RESULT_WRONG_SEQUENCE', message);
}

function* findUneven({ id, sequence, values }: PayloadEntry): Problems {
  const lengths = Object.entries(values).map(([key, { length }]) => [key, length] as const);
  const longest = Math.max(0, ...lengths.map(([, length]) => length));
  if (longest === 0) {
    yield resultProblem('RESULT_EMPTY', `The engine predicted nothing for "${id}".`);
  }
  const residues = sequence.length || longest;
  for (const [key, length] of lengths) {
    if (length === residues) continue;
    const message = `"${id}" has ${residues} residues, but ${length} values of ${key}.`;
    yield resultProblem('RESULT_MISSING_VALUES', message);
  }
}

function saysNothing({ values }: PayloadEntry): boolean {
  // Residue numbers of a shift file only look like values.
  const predicted = Object.entries(values).filter(([key]) => key !== 'seqCodes');
  return predicted.every(([, list]) =>
    list.every((value) => value === null || value === SHIFTS_MISSING),
  );
}

/** A gap of an alignment has no value, by design. */
const GAP = '-';

/**
 * NaN and null are not predictions. Only if the payload shows the residues: otherwise a null may be a gap. Labels
 * (psper's `viterbi`) are words; a blank one means that there is nothing to label.
 */
function* findGaps({ id, sequence, values }: PayloadEntry): Problems {
  if (sequence === '') return;
  for (const [key, list] of Object.entries(values)) {
    if (list.some((value) => typeof value === 'string')) continue;
    const place = list.findIndex((value, at) => value === null && sequence[at] !== GAP);
    if (place === -1) continue;
    const message = `"${id}" has no number of ${key} for residue ${place + 1} (${sequence[place] ?? ''}).`;
    yield resultProblem('RESULT_NOT_A_NUMBER', message);
  }
}

/**
 * Inputs for which the engine returns a result that looks valid but is not. The manifest refuses or corrects them
 * before they are sent: this is for an input from another source, or one that was changed later.
 */
function* findUnfit(records: readonly FastaRecord[], isAlignment: boolean): Problems {
  const names = new Set<string>();
  for (const [index, { header, name, residues }] of records.entries()) {
    const findings = residueFindings(name, residues.replaceAll(/[-.]/g, ''));
    if (findings.some(({ code }) => code === 'SEQUENCE_NUCLEOTIDES')) {
      yield wrong(`Record ${index + 1} is DNA or RNA: its bases were read as amino acids.`);
    }
    if (header !== '' && names.has(header)) {
      yield wrong(`Two records are called "${header}": their values cannot be distinguished.`);
    }
    names.add(header);
  }
  const lengths = new Set(records.map(({ residues }) => residues.length));
  if (!isAlignment) return;
  if (records.length < 2) yield wrong('The alignment has one row: it needs at least two.');
  if (lengths.size > 1) {
    yield wrong(`The rows of the alignment have ${[...lengths].join(' and ')} columns.`);
  }
}

/**
 * Every record that was sent must come back once, residue by residue (including gaps). In any order: the engine sorts
 * the rows of an alignment, and JSON objects with numeric keys have their own order. Ids differ by design.
 */
function* findOtherRecords(
  entries: readonly PayloadEntry[],
  sent: readonly FastaRecord[],
): Problems {
  if (entries.length !== sent.length) {
    yield wrong(`${sent.length} sequences were sent, the result has ${entries.length}.`);
  }
  const open = [...entries];
  for (const [index, { residues }] of sent.entries()) {
    const match = open.findIndex((entry) => answers(entry, residues));
    if (match === -1) {
      yield wrong(
        `No sequence in the result has the residues of record ${index + 1} that was sent.`,
      );
    }
    open.splice(match, 1);
  }
}

/** If the payload does not show the residues, there must at least be one value for each. */
function answers(entry: PayloadEntry, residues: string): boolean {
  return entry.sequence === ''
    ? Object.values(entry.values).every((list) => list.length === residues.length)
    : sameResidues(residues, entry.sequence);
}

/** Upper case, and X if the engine does not know the letter (B, Z, U, O, J, `*`, digits). */
function sameResidues(sent: string, received: string): boolean {
  // A service may drop the stop sign at the end.
  const isStopped = sent.endsWith('*') && received.length === sent.length - 1;
  const letters = (isStopped ? sent.slice(0, -1) : sent).toUpperCase();
  const others = received.toUpperCase();
  if (letters.length !== others.length) return false;
  return [...letters].every(
    (letter, at) =>
      letter === others[at] || (others[at] === 'X' && !/[ACDEFGHIKLMNPQRSTVWY-]/.test(letter)),
  );
}

/** A key that each predictor's result has; the predictors it depends on add theirs. */
const KEY_OF_PREDICTOR: Readonly<Record<Predictor, readonly string[]>> = {
  dynamine: ['backbone'],
  disomine: ['disoMine'],
  efoldmine: ['earlyFolding'],
  agmata: ['agmata'],
  psper: ['viterbi', 'complexity', 'protein_score'],
};

/** Keys that identify a result of this engine; `agmata` is a predictor's name as well as a key. */
const OUR_KEYS: readonly string[] = [
  ...['backbone', 'sidechain', 'helix', 'sheet', 'coil', 'ppII'],
  ...['earlyFolding', 'disoMine', 'viterbi', 'complexity'],
];

function* findAbsent(entries: readonly PayloadEntry[], predictors: readonly Predictor[]): Problems {
  for (const { id, values, scalars } of entries) {
    // A form with other keys (the earlier variant names the predictor) is not checked with ours.
    if (!OUR_KEYS.some((key) => key in values)) continue;
    const absent = predictors.filter((predictor) =>
      KEY_OF_PREDICTOR[predictor].every((key) => !(key in values) && !(key in scalars)),
    );
    if (absent.length > 0) yield missing(id, absent.join(', '));
  }
}

/**
 * Every chain of the result must be one of the file, residue by residue, and every measured chain must come back. A
 * chain may occur twice, as in a homodimer. Residues other than the twenty may be omitted or renamed.
 */
function* findOtherChains(entries: readonly PayloadEntry[], text: string): Problems {
  const chains = readChains(text);
  const shown = entries.filter(({ sequence }) => sequence !== '');
  // If the payload shows no residues, or the file is unreadable, there is nothing to compare.
  if (chains.length === 0 || shown.length === 0) return;
  for (const { id, sequence } of shown) {
    if (chains.some(({ residues }) => isSameChain(residues, sequence))) continue;
    yield wrong(`The residues of "${id}" match no chain that was sent.`);
  }
  for (const { name, residues, isMeasured } of chains) {
    if (!isMeasured || shown.some(({ sequence }) => isSameChain(residues, sequence))) continue;
    yield wrong(`Chain ${name} was measured, but the result has no values for it.`);
  }
}

function isSameChain(sent: string, received: string): boolean {
  const letters = received.toUpperCase();
  if (sent.length !== letters.length) return known(sent) === known(letters);
  return [...sent].every((letter, at) => letter === 'X' || letter === letters[at]);
}

function known(residues: string): string {
  return residues.replaceAll('X', '');
}
