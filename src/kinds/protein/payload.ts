/**
 * Reads a prediction payload, whose inner structure the contract does not define (2.5). Seen so far:
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
import { arePlain, asObject, readResultJson } from '../json.ts';
import { resultProblem, type ResultProblem } from '../result-problems.ts';

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
  const named = SEQUENCE_KEYS.some((key) => readSequence(object[key]) !== '');
  return named || Object.values(object).some((value) => readValues(value) !== null);
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
  const named = ID_KEYS.map((idKey) => object[idKey]).find((id) => typeof id === 'string');
  const own = SEQUENCE_KEYS.map((one) => readSequence(object[one])).find((text) => text !== '');
  return {
    id: named ?? key,
    sequence: own ?? readSequence(sequence),
    values,
    scalars,
  };
}

/** As an array of letters, or as one text. */
function readSequence(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((letter) => (typeof letter === 'string' ? letter : '-')).join('');
}

/** An array of scalars; null for anything else. */
function readValues(value: unknown): readonly PayloadValue[] | null {
  if (!Array.isArray(value)) return null;
  const items: readonly unknown[] = value;
  if (arePlain(items)) return items;
  const list: PayloadValue[] = [];
  for (const item of items) {
    if (typeof item === 'object' && item !== null) return null;
    if (typeof item === 'number') list.push(Number.isFinite(item) ? item : null);
    else if (typeof item === 'string') list.push(numberOrText(item));
    else list.push(null);
  }
  return list;
}

function numberOrText(text: string): PayloadValue {
  if (/^\s*(?:nan|null|none)?\s*$/i.test(text)) return text === '' ? '' : null;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
