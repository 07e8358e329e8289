/** When two runs of b2bTools gave the same prediction. Pure. */
import { parse } from 'csv-parse/sync';
import type { OutputName } from '../../src/local-services/engines/engine.ts';

/** Of every value of a prediction. */
const VALUE_TOLERANCE = 1e-5;
/** Tables are rounded to three digits: a value near a half may be rounded either way. */
const TABLE_TOLERANCE = 1e-3 + VALUE_TOLERANCE;

/** Times, and the name of the input file. */
const INCIDENTAL = /_execution_time$|^(?:executionDetails|creation_date|ID_file)$/;

interface Difference {
  /** The largest distance of two values, except for those that were rounded. */
  readonly furthest: number;
  readonly values: number;
  /** Where they differ by more than the tolerance, or in structure; null if they do not. */
  readonly where: string | null;
}

/** Compares an output file with the recorded one. */
export function compareOutputs(name: OutputName, recorded: string, now: string): Difference {
  const table = name === 'csv' || name === 'metadata';
  const read = (text: string): unknown => (table ? readTable(text) : (JSON.parse(text) as unknown));
  const comparison = new Comparison(name === 'csv');
  comparison.compare(read(recorded), read(now), name);
  return comparison;
}

/** Rows by their keys: the recorded run may have had its sequences in another order. */
function readTable(text: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const rows: Record<string, string>[] = parse(text, { columns: true });
  return Object.fromEntries(
    rows.map((row, n) => {
      const { sequence_id: id, residue_index: residue = '' } = row;
      return [id === undefined ? String(n) : `${id} ${residue}`, row];
    }),
  );
}

class Comparison implements Difference {
  furthest = 0;
  values = 0;
  where: string | null = null;
  readonly #rounded: boolean;

  constructor(rounded: boolean) {
    this.#rounded = rounded;
  }

  compare(recorded: unknown, now: unknown, at: string): void {
    if (Array.isArray(recorded) && Array.isArray(now)) this.#lists(recorded, now, at);
    else if (isObject(recorded) && isObject(now)) this.#objects(recorded, now, at);
    else this.#leaves(recorded, now, at);
  }

  #lists(recorded: readonly unknown[], now: readonly unknown[], at: string): void {
    if (recorded.length !== now.length) this.#differ(at, `${recorded.length} → ${now.length} long`);
    for (const [n, value] of recorded.entries()) this.compare(value, now[n], `${at}[${n}]`);
  }

  #objects(recorded: object, now: object, at: string): void {
    const [before, after] = [new Map(Object.entries(recorded)), new Map(Object.entries(now))];
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (!INCIDENTAL.test(key)) this.compare(before.get(key), after.get(key), `${at}.${key}`);
    }
  }

  /** ShiftCrypt and the tables write numbers as text. */
  #leaves(recorded: unknown, now: unknown, at: string): void {
    this.values += 1;
    const [before, after] = [numberIn(recorded), numberIn(now)];
    if (before === null || after === null) {
      if (recorded !== now)
        this.#differ(at, `${JSON.stringify(recorded)} → ${JSON.stringify(now)}`);
      return;
    }
    const distance = Math.abs(before - after);
    if (!this.#rounded) this.furthest = Math.max(this.furthest, distance);
    if (distance > (this.#rounded ? TABLE_TOLERANCE : VALUE_TOLERANCE))
      this.#differ(at, `${before} → ${after}`);
  }

  #differ(at: string, how: string): void {
    this.where ??= `${at}: ${how}`;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d/.test(value) && Number.isFinite(Number(value))
    ? Number(value)
    : null;
}

/** The engine names the Python exception that ended it. */
export function predictionFailure(message: string): string {
  const [, type = 'unknown'] = /error of type '(\w+)'/.exec(message) ?? [];
  return `failed: ${type}`;
}
