/**
 * Reads a prediction payload, whose inner structure the contract does not define (2.5), and what it says, with the user's
 * names. Seen so far:
 *
 *   {proteins: {id: {seq, backbone, …}}, metadata}           the engine's own
 *   {proteins: {id: {backbone, …}}, sequences: {id: […]}}    the engine's own for alignments, gaps null
 *   {id, results: [{proteinID, sequence, backbone, …}]}
 *   {id: {seq, backbone, …}}
 *   {status: 'success', predictor, results: {sequence, prediction}}   the earlier variant (section 9.5)
 *   [{ID_file, sequence, seqCodes, shiftCrypt: ['0.512'], chainCode}]  NMR shifts, values as text
 *
 * In all of them an entry is an object with the values of one protein as arrays, one value per residue.
 */
import { asObject, readResultJson } from '../json.ts';
import { resultProblem, type ResultProblem } from '../result-problems.ts';
import {
  type AlignmentReading,
  type ChainReading,
  inOrder,
  lengthOf,
  type ProteinReading,
  type SequenceReading,
  type ShiftsReading,
  type Track,
  TRACK_KEYS,
} from './reading.ts';
import { readDistributions } from './tables.ts';

export type PayloadValue = number | string | null;

/** The prediction for one protein, one row of an alignment, or one chain. */
export interface PayloadEntry {
  /** As named by the service: never a file name. */
  readonly id: string;
  /** One letter per residue (gaps as `-`); '' if the payload does not contain it. */
  readonly sequence: string;
  /** By the payload's own key, one value per residue or column; numbers sent as text are converted. */
  readonly values: Readonly<Record<string, readonly PayloadValue[]>>;
  /** Single values of the whole entry: `protein_score`, `chainCode`. */
  readonly scalars: Readonly<Record<string, number | string>>;
}

export interface Payload {
  readonly ok: true;
  readonly entries: readonly PayloadEntry[];
}

type JsonObject = Readonly<Record<string, unknown>>;

const SEQUENCE_KEYS = ['seq', 'sequence', 'residues'] as const;
const ID_KEYS = ['proteinID', 'protein_id', 'sequence_id', 'ID_file', 'id', 'name'] as const;
/** Arrays of an entry that are not predictions. */
const NOT_VALUES = new Set<string>([...SEQUENCE_KEYS, ...ID_KEYS]);

/** @param bytes the result as received, or its text */
export function readPayload(bytes: Uint8Array | string): Payload | ResultProblem {
  const read = readResultJson(bytes);
  if (!read.ok) return read;
  const entries = findEntries(read.json);
  if (entries.length === 0) {
    return resultProblem('RESULT_EMPTY', 'The result contains no prediction.');
  }
  return { ok: true, entries };
}

function findEntries(json: unknown): PayloadEntry[] {
  if (Array.isArray(json)) {
    return json.flatMap((item, index) => {
      const object = asObject(item);
      return object === null ? [] : [readEntry(object, String(index + 1), null)];
    });
  }
  const object = asObject(json);
  if (object === null) return [];
  const proteins = asObject(object['proteins']);
  if (proteins !== null) return keyedEntries(proteins, asObject(object['sequences']));
  const results = object['results'];
  if (Array.isArray(results)) return findEntries(results);
  const wrapped = asObject(results);
  if (wrapped !== null) return wrappedEntries(wrapped, object);
  return keyedEntries(object, null);
}

function keyedEntries(object: JsonObject, sequences: JsonObject | null): PayloadEntry[] {
  return Object.entries(object).flatMap(([id, value]) => {
    const entry = asObject(value);
    if (entry === null || id === 'metadata') return [];
    // `{}` is an entry: the engine lists a record for which it predicted nothing.
    if (!(isPrediction(entry) || Object.keys(entry).length === 0)) return [];
    return [readEntry(entry, id, sequences?.[id] ?? null)];
  });
}

/** The earlier variant: `results` contains a sequence and its `prediction` in any of these forms, or entries by id. */
function wrappedEntries(results: JsonObject, wrapper: JsonObject): PayloadEntry[] {
  const prediction = results['prediction'];
  if (prediction === undefined) return keyedEntries(results, null);
  const inside = findEntries(prediction);
  if (inside.length > 0) return inside;
  const predictor = wrapper['predictor'];
  const name = typeof predictor === 'string' ? predictor : 'prediction';
  const values = asObject(prediction) ?? { [name]: prediction };
  return [readEntry(values, name, results['sequence'] ?? null)];
}

function isPrediction(object: JsonObject): boolean {
  return (
    SEQUENCE_KEYS.some((key) => readSequence(object[key]) !== '') ||
    Object.values(object).some((value) => readValues(value) !== null)
  );
}

function readEntry(object: JsonObject, key: string, sequence: unknown): PayloadEntry {
  const values: Record<string, readonly PayloadValue[]> = {};
  const scalars: Record<string, number | string> = {};
  for (const [name, value] of Object.entries(object)) {
    if (NOT_VALUES.has(name)) continue;
    const list = readValues(value);
    if (list !== null) values[name] = list;
    else if (typeof value === 'number' || typeof value === 'string') scalars[name] = value;
  }
  const id = ID_KEYS.map((idKey) => object[idKey]).find((one) => typeof one === 'string') ?? key;
  const own = SEQUENCE_KEYS.map((one) => readSequence(object[one])).find((text) => text !== '');
  return { id, sequence: own ?? readSequence(sequence), values, scalars };
}

/** As an array of letters, or as one text. */
function readSequence(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((letter) => (typeof letter === 'string' ? letter : '-')).join('');
}

/** An array of scalars; null for anything else. */
function readValues(value: unknown): readonly PayloadValue[] | null {
  const isList =
    Array.isArray(value) && value.every((one) => one === null || typeof one !== 'object');
  return isList ? value.map(readScalar) : null;
}

function readScalar(value: unknown): PayloadValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value === '') return value === '' ? '' : null;
  if (/^\s*(?:nan|null|none)?\s*$/i.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** Header as the user wrote it, by the id in the results; an id that is not listed is the header. */
type RecordHeaders = Readonly<Record<string, string>>;

/** @returns null if the bytes contain no prediction */
export function readSequences(
  bytes: Uint8Array | string,
  headers?: RecordHeaders,
): SequenceReading | null {
  const proteins = readProteins(bytes, headers);
  return proteins && { kind: 'sequence', proteins };
}

/**
 * @param distributions the file of that name, JSON or CSV; null if the service gave none
 * @returns null if the bytes contain no prediction
 */
export function readAlignment(
  bytes: Uint8Array | string,
  distributions: Uint8Array | string | null,
  headers?: RecordHeaders,
): AlignmentReading | null {
  const proteins = readProteins(bytes, headers);
  if (proteins === null) return null;
  const columns = Math.max(...proteins.map(lengthOf));
  const spreads = distributions === null ? {} : readDistributions(distributions, columns);
  return { kind: 'alignment', proteins, columns, spreads };
}

/** @returns null if the bytes contain no prediction */
export function readShifts(bytes: Uint8Array | string): ShiftsReading | null {
  const payload = readPayload(bytes);
  return payload.ok ? { kind: 'shifts', chains: payload.entries.map(readChain) } : null;
}

function readChain({ id, sequence, values, scalars }: PayloadEntry): ChainReading {
  const { shiftCrypt = [], seqCodes = [] } = values;
  const chain = scalars['chainCode'];
  return {
    name: id,
    chain: chain === undefined ? null : String(chain),
    residues: sequence,
    // Without its own codes, the chain is numbered from 1, like residues.
    numbers: shiftCrypt.map((_, index) => seqCodes[index] ?? index + 1),
    shiftCrypt: shiftCrypt.map((value) => (typeof value === 'number' ? value : null)),
  };
}

/** In payload order. */
function readProteins(
  bytes: Uint8Array | string,
  headers: RecordHeaders = {},
): readonly ProteinReading[] | null {
  const payload = readPayload(bytes);
  if (!payload.ok) return null;
  return payload.entries.map(({ id, sequence, values, scalars }) => {
    const length =
      sequence.length || Math.max(0, ...Object.values(values).map((list) => list.length));
    return {
      name: (Object.hasOwn(headers, id) ? headers[id] : undefined) ?? id,
      residues: sequence,
      tracks: Object.fromEntries(
        inOrder(Object.keys(values)).map((key) => [key, readTrack(key, values[key] ?? [], length)]),
      ),
      scores: Object.fromEntries(
        Object.entries(scalars).filter(
          (pair): pair is [string, number] =>
            // The engine's run time is not a property of the protein.
            typeof pair[1] === 'number' && !pair[0].endsWith('_execution_time'),
        ),
      ),
    };
  });
}

/** Text in these is not a value; for unknown keys it may be. */
const NUMERIC: ReadonlySet<string> = new Set(TRACK_KEYS.filter((key) => key !== 'viterbi'));

/** Padded or cut to the length of the chain. The labels of `viterbi` have a leading space. */
function readTrack(key: string, values: readonly PayloadValue[], length: number): Track {
  return Array.from({ length }, (_, index) => {
    const value = values[index] ?? null;
    if (typeof value !== 'string') return value;
    return NUMERIC.has(key) ? null : value.trim() || null;
  });
}
