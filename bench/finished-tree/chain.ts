/**
 * Real values of real residues, to be cut to proteins of any length: the recorded results concatenated to a ring. Kept
 * as the texts in the files, so that a thousand proteins cost only their bytes.
 */
import { loadIndex, readRecording } from '../../src/local-services/engines/recordings.ts';

/** Every key of b2bTools in the order of its CSV. */
const CSV_KEYS = [
  ...['RRM', 'agmata', 'arg', 'backbone', 'coil', 'complexity', 'disoMine', 'disorder'],
  ...['earlyFolding', 'helix', 'ppII', 'sheet', 'sidechain', 'tyr', 'viterbi'],
] as const;

type Values = Readonly<Record<string, readonly (number | string | null)[]>>;

export interface Residues {
  readonly letters: readonly string[];
  readonly values: Values;
}

/** One ring of residues, as long as its recordings. */
export class Ring {
  readonly letters: readonly string[];
  readonly values: Values;
  /** By key: each value as in the JSON. */
  readonly #json: Readonly<Record<string, readonly string[]>>;
  /** A row of the CSV, before and after the index of the residue. */
  readonly #csv: readonly (readonly [string, string])[];

  constructor(parts: readonly Residues[]) {
    this.letters = parts.flatMap(({ letters }) => letters);
    const keys = Object.keys(parts[0]?.values ?? {});
    this.values = Object.fromEntries(
      keys.map((key) => [key, parts.flatMap(({ values }) => values[key] ?? [])]),
    );
    this.#json = Object.fromEntries(
      Object.entries(this.values).map(([key, list]) => [
        key,
        list.map((one) => JSON.stringify(one)),
      ]),
    );
    this.#csv = this.letters.map((letter, at) => [
      letter,
      CSV_KEYS.map((key) => csvCell(this.values[key]?.[at] ?? null)).join(','),
    ]);
  }

  get length(): number {
    return this.letters.length;
  }

  /** The positions of a piece, which may wrap around. */
  #cut<T>(list: readonly T[], from: number, length: number): readonly T[] {
    const start = from % this.length;
    const straight = list.slice(start, start + length);
    return straight.length === length
      ? straight
      : [...straight, ...list.slice(0, length - straight.length)];
  }

  lettersOf(from: number, length: number): readonly string[] {
    return this.#cut(this.letters, from, length);
  }

  valuesOf(key: string, from: number, length: number): readonly (number | string | null)[] {
    return this.#cut(this.values[key] ?? [], from, length);
  }

  /** The members of a JSON object, without its braces. */
  jsonOf(from: number, length: number): string {
    return Object.entries(this.#json)
      .map(([key, list]) => `${JSON.stringify(key)}:[${this.#cut(list, from, length).join(',')}]`)
      .join(',');
  }

  csvOf(id: string, from: number, length: number): string {
    const rows = this.#cut(this.#csv, from, length);
    return rows.map(([letter, cells], at) => `${id},${letter},${at},${cells}\n`).join('');
  }
}

export const CSV_HEADER = `sequence_id,residue,residue_index,${CSV_KEYS.join(',')}\n`;

function csvCell(value: number | string | null): string {
  if (typeof value !== 'number') return value ?? '';
  const text = String(Math.round(value * 1_000) / 1_000);
  return text.includes('.') || text.includes('e') ? text : `${text}.0`;
}

interface Payload {
  readonly proteins: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly sequences?: Readonly<Record<string, readonly string[]>>;
  readonly metadata: object;
}

/** The recorded payloads of a kind with these options. */
export function recordedPayloads(
  kind: 'sequence' | 'alignment',
  options: string,
): readonly { readonly what: string; readonly payload: Payload }[] {
  return loadIndex().recordings.flatMap(({ files, failure, what, ...recording }) => {
    const wanted = recording.kind === kind && recording.options === options;
    if (!wanted || failure !== undefined || files.result === undefined) return [];
    // Inputs for edge cases have recordings in a separate folder.
    if (files.result.includes('/edge/')) return [];
    return [{ what, payload: JSON.parse(readRecording(files.result).toString()) as Payload }];
  });
}

export function residuesOf(payload: Payload): readonly Residues[] {
  return Object.entries(payload.proteins).map(([id, protein]) => {
    const lists = Object.entries(protein).filter(
      ([key, list]) => key !== 'seq' && Array.isArray(list),
    );
    const letters = (payload.sequences?.[id] ?? protein['seq']) as readonly string[];
    return { letters, values: Object.fromEntries(lists) as Values };
  });
}

/** As the engine writes it, with the note that no such protein exists. */
export function markedMetadata(payload: Payload): string {
  const note = 'synthetic: values of recorded proteins, cut and put together anew';
  return JSON.stringify({ note, ...payload.metadata });
}

/** metadata.csv: the engine's data about each protein's values. */
export function statisticsHeader(keys: readonly string[], aligned: boolean): string {
  const names = ['mean', 'median', 'variance', 'stdev', 'pvariance', 'pstdev', 'min', 'max'];
  const lengths = aligned ? ['length', 'aligned_length'] : ['length'];
  const columns = keys.flatMap((key) => names.map((name) => `${key}_${name}`));
  return `${['sequence_id', ...lengths, 'protein_score', ...columns].join(',')}\n`;
}

export function statistics(list: readonly (number | string | null)[]): readonly string[] {
  const numbers = Float64Array.from(list.filter((value) => typeof value === 'number')).sort();
  const count = numbers.length;
  const mean = numbers.reduce((sum, value) => sum + value, 0) / count;
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const [variance, pvariance] = [squares / Math.max(1, count - 1), squares / count];
  const median = ((numbers[(count - 1) >> 1] ?? 0) + (numbers[count >> 1] ?? 0)) / 2;
  return [
    ...[mean, median, variance, Math.sqrt(variance), pvariance, Math.sqrt(pvariance)],
    ...[numbers[0] ?? 0, numbers[count - 1] ?? 0],
  ].map((value) => String(Math.round(value * 1e6) / 1e6));
}
