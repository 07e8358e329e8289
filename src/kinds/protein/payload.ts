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
import { toObject, readResultJson, createResultProblem, type ResultProblem } from '../json.ts';
import {
  type AlignmentReading,
  type ChainReading,
  computeConservation,
  countResidues,
  type ProteinReading,
  type SequenceReading,
  type ShiftsReading,
  sortKeys,
  type Track,
  TRACK_KEYS,
  type ColumnSpread,
  SPREAD_KEYS,
} from './reading.ts';
import { parse } from 'csv-parse/sync';

/** The prediction for one protein, one row of an alignment, or one chain, as the service names it. */
export interface Entry extends Omit<ProteinReading, 'scores'> {
  /** Single values of the whole entry: `protein_score`, `chainCode`. */
  readonly scores: Readonly<Record<string, number | string>>;
}

export interface Payload {
  readonly ok: true;
  readonly entries: readonly Entry[];
}

type JsonObject = Readonly<Record<string, unknown>>;

const SEQUENCE_KEYS = ['seq', 'sequence', 'residues'] as const;
const ID_KEYS = ['proteinID', 'protein_id', 'sequence_id', 'ID_file', 'id', 'name'] as const;
/** Arrays of an entry that are not predictions. */
const NOT_VALUES = new Set<string>([...SEQUENCE_KEYS, ...ID_KEYS]);
/** Text in these is not a value; for unknown keys it may be. */
const NUMERIC: ReadonlySet<string> = new Set(TRACK_KEYS.filter((key) => key !== 'viterbi'));

/** @param bytes the result as received, or its text */
export function readPayload(bytes: Uint8Array | string): Payload | ResultProblem {
  const read = readResultJson(bytes);
  if (!read.ok) return read;
  const entries = findEntries(read.json);
  if (entries.length === 0) {
    return createResultProblem('RESULT_EMPTY', 'The result contains no prediction.');
  }
  return { ok: true, entries };
}

function findEntries(json: unknown): Entry[] {
  if (Array.isArray(json)) {
    return json.flatMap((item, index) => {
      const object = toObject(item);
      return object === null ? [] : [readEntry(object, String(index + 1), null)];
    });
  }
  const object = toObject(json);
  if (object === null) return [];
  const proteins = toObject(object['proteins']);
  if (proteins !== null) return readKeyedEntries(proteins, toObject(object['sequences']));
  const results = object['results'];
  if (Array.isArray(results)) return findEntries(results);
  const wrapped = toObject(results);
  if (wrapped !== null) return readWrappedEntries(wrapped, object);
  return readKeyedEntries(object, null);
}

function readKeyedEntries(object: JsonObject, sequences: JsonObject | null): Entry[] {
  return Object.entries(object).flatMap(([id, value]) => {
    const entry = toObject(value);
    if (entry === null || id === 'metadata') return [];
    const read = readEntry(entry, id, sequences?.[id] ?? null);
    const isEmpty = read.residues === '' && Object.keys(read.tracks).length === 0;
    // `{}` is an entry: the engine lists a record for which it predicted nothing.
    return isEmpty && Object.keys(entry).length > 0 ? [] : [read];
  });
}

/** The earlier variant: `results` contains a sequence and its `prediction` in any of these forms, or entries by id. */
function readWrappedEntries(results: JsonObject, wrapper: JsonObject): Entry[] {
  const prediction = results['prediction'];
  if (prediction === undefined) return readKeyedEntries(results, null);
  const inside = findEntries(prediction);
  if (inside.length > 0) return inside;
  const predictor = wrapper['predictor'];
  const name = typeof predictor === 'string' ? predictor : 'prediction';
  const values = toObject(prediction) ?? { [name]: prediction };
  return [readEntry(values, name, results['sequence'] ?? null)];
}

function readEntry(object: JsonObject, key: string, sequence: unknown): Entry {
  const tracks: Record<string, Track> = {};
  const scores: Record<string, number | string> = {};
  for (const name of sortKeys(Object.keys(object))) {
    const value = object[name];
    if (NOT_VALUES.has(name)) continue;
    const track = readTrack(name, value);
    if (track !== null) tracks[name] = track;
    else if (typeof value === 'number' || typeof value === 'string') scores[name] = value;
  }
  const name = ID_KEYS.map((idKey) => object[idKey]).find((one) => typeof one === 'string') ?? key;
  const own = SEQUENCE_KEYS.map((one) => readSequence(object[one])).find((text) => text !== '');
  return { name, residues: own ?? readSequence(sequence), tracks, scores };
}

/** As an array of letters, or as one text. */
function readSequence(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((letter) => (typeof letter === 'string' ? letter : '-')).join('');
}

/** An array of scalars; null for anything else. */
function readTrack(key: string, value: unknown): Track | null {
  if (isNumbers(value)) return value;
  const isList =
    Array.isArray(value) && value.every((one) => one === null || typeof one !== 'object');
  return isList ? value.map((one) => readScalar(key, one)) : null;
}

/** As most lists are: they need not be copied. */
function isNumbers(value: unknown): value is (number | null)[] {
  return Array.isArray(value) && value.every((one) => one === null || Number.isFinite(one));
}

function readScalar(key: string, value: unknown): Track[number] {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // Blank: there is nothing to label.
  if (typeof value !== 'string' || value === '') return value === '' ? '' : null;
  if (/^\s*(?:nan|null|none)?\s*$/i.test(value)) return null;
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  return NUMERIC.has(key) ? null : value.trim();
}

/** Header as the user wrote it, by the id in the results; an id that is not listed is the header. */
type RecordHeaders = Readonly<Record<string, string>>;

/** @returns null if the text contains no prediction */
export function readSequences(text: string, headers?: RecordHeaders): SequenceReading | null {
  const proteins = readProteins(text, headers);
  return proteins && { kind: 'sequence', proteins };
}

/**
 * @param distributions the file of that name, JSON or CSV; null if the service gave none
 * @returns null if the text contains no prediction
 */
export function readAlignment(
  text: string,
  distributions: string | null,
  headers?: RecordHeaders,
): AlignmentReading | null {
  const proteins = readProteins(text, headers);
  if (proteins === null) return null;
  const columns = Math.max(...proteins.map(countResidues));
  const conservation = computeConservation(
    proteins.map(({ residues }) => residues),
    columns,
  );
  const spreads = distributions === null ? {} : readDistributions(distributions);
  return { kind: 'alignment', proteins, columns, conservation, spreads };
}

/** @returns null if the text contains no prediction */
export function readShifts(text: string): ShiftsReading | null {
  const payload = readPayload(text);
  return payload.ok ? { kind: 'shifts', chains: payload.entries.map(readChain) } : null;
}

function readChain({ name, residues, tracks, scores }: Entry): ChainReading {
  const { shiftCrypt = [], seqCodes = [] } = tracks;
  const chain = scores['chainCode'];
  return {
    name,
    chain: chain === undefined ? null : String(chain),
    residues,
    // Without its own codes, the chain is numbered from 1, like residues.
    numbers: shiftCrypt.map((_, index) => seqCodes[index] ?? index + 1),
    shiftCrypt: shiftCrypt.map((value) => (typeof value === 'number' ? value : null)),
  };
}

/** In payload order. */
function readProteins(text: string, headers: RecordHeaders = {}): readonly ProteinReading[] | null {
  const payload = readPayload(text);
  if (!payload.ok) return null;
  return payload.entries.map(({ name, residues, tracks, scores }) => ({
    name: (Object.hasOwn(headers, name) ? headers[name] : undefined) ?? name,
    residues,
    tracks: Object.fromEntries(
      Object.entries(tracks).map(([key, track]) => [
        key,
        track.includes('') ? track.map((value) => (value === '' ? null : value)) : track,
      ]),
    ),
    scores: Object.fromEntries(
      Object.entries(scores).filter(
        (pair): pair is [string, number] =>
          // The engine's run time is not a property of the protein.
          typeof pair[1] === 'number' && !pair[0].endsWith('_execution_time'),
      ),
    ),
  }));
}

/**
 * The tables that a service has of a prediction. The contract defines none of them (prediction service, 4.6); the engine
 * writes a row per residue or column, and a column for every predictor, empty for those that did not run.
 */

/** A row of a CSV table by column. */
export type CsvRow = Readonly<Record<string, string>>;

/** None if the text is no table. A cell that a short row lacks is blank. */
export function readCsv(text: string): readonly CsvRow[] {
  try {
    const [header = [], ...rows]: string[][] = parse(text, {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
    return rows.map((row) => Object.fromEntries(header.map((name, n) => [name, row[n] ?? ''])));
  } catch {
    return [];
  }
}

/**
 * The distribution of the values of an alignment's rows in each column:
 *
 *   {results: {backbone: {median: […], thirdQuartile: […], …}}, metadata}     one value per column, null for gaps only
 *   residue_index,backbone_median,backbone_thirdQuartile,…                    the same as CSV, with three decimals
 *
 * @returns by the key of the payload, in the order of `TRACK_KEYS`; empty if the text contains no distributions
 */
export function readDistributions(text: string): Readonly<Record<string, ColumnSpread>> {
  const lists = /^\s*[[{]/.test(text) ? readJsonLists(text) : readCsvLists(text);
  const spreads = sortKeys(Object.keys(lists)).flatMap((key) => {
    const ofKey = toObject(lists[key]);
    const tracks = SPREAD_KEYS.map((name) => [name, readNumbers(ofKey?.[name])] as const);
    const isSpread = tracks.some(([, track]) => track.length > 0);
    return isSpread ? [[key, Object.fromEntries(tracks) as ColumnSpread] as const] : [];
  });
  return Object.fromEntries(spreads);
}

function readJsonLists(text: string): Readonly<Record<string, unknown>> {
  const read = readResultJson(text);
  const top = read.ok ? toObject(read.json) : null;
  return toObject(top?.['results']) ?? toObject(top?.['distributions']) ?? top ?? {};
}

/** As in the JSON. */
function readCsvLists(text: string): Readonly<Record<string, unknown>> {
  const rows = readCsv(text);
  const lists: Record<string, Record<string, readonly string[]>> = {};
  for (const column of Object.keys(rows[0] ?? {})) {
    const name = SPREAD_KEYS.find((one) => column.endsWith(`_${one}`));
    const cells = rows.map((row) => row[column] ?? '');
    if (name === undefined || cells.every((cell) => cell === '')) continue;
    const key = column.slice(0, -name.length - 1);
    lists[key] = { ...lists[key], [name]: cells };
  }
  return lists;
}

function readNumbers(value: unknown): Track {
  if (isNumbers(value)) return value;
  return Array.isArray(value) ? value.map(readNumber) : [];
}

function readNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() !== '') return readNumber(Number(value));
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
