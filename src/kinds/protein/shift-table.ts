/** The common result of reading NEF and NMR-STAR: the residues of the polymers and the shifts of their atoms. */
import type { InputFinding } from '../finding.ts';
import { finding } from './problems.ts';
import type { StarLoop, StarRow } from './star.ts';

interface Atom {
  /** As written; a number in ppm if valid. */
  readonly value: string;
  readonly line: number;
}

export interface Residue {
  readonly chain: string;
  /** The residue number in the file. */
  readonly code: string;
  /** Three letters: `ALA`. */
  readonly name: string;
  readonly atoms: Map<string, Atom>;
  /** Only in NMR-STAR: it also has an author's number. */
  readonly authorNumbered: boolean;
}

export interface ShiftTable {
  readonly residues: readonly Residue[];
  /** Rows of all loops with chemical shifts. */
  readonly shifts: number;
  readonly findings: readonly InputFinding[];
}

/** The rows of a loop by column name. */
interface Columns {
  /** Columns of `wanted` that the loop lacks. */
  readonly missing: readonly string[];
  /** Empty if there is no such column. */
  get(row: StarRow, column: string): string;
}

/** @param category in lower case, with its leading `_` and its dot, if the dialect has them */
export function columnsOf(loop: StarLoop, category: string, wanted: readonly string[]): Columns {
  const places = new Map(loop.tags.map((tag, place) => [tag, place]));
  return {
    missing: wanted.filter((name) => !places.has(category + name.toLowerCase())),
    get: (row, column) => row.values[places.get(category + column.toLowerCase()) ?? -1] ?? '',
  };
}

/** `.` and `?` mean in STAR that there is no value. */
export function isMissing(value: string): boolean {
  return value === '' || value === '.' || value === '?';
}

interface ShiftRow {
  readonly code: string;
  readonly name: string;
  readonly atom: string;
  readonly value: string;
  readonly line: number;
}

/** Assigns shifts to their residues and keeps the first of each type of mismatch. */
export class ShiftCollector {
  readonly findings: InputFinding[] = [];
  #shifts = 0;
  #lists = 0;

  get shifts(): number {
    return this.#shifts;
  }

  beginList(line: number): void {
    this.#lists += 1;
    if (this.#lists === 2) this.findings.push(finding('SHIFTS_SEVERAL_LISTS', { line }));
  }

  /** @param residue undefined if the sequence has no such residue */
  add(residue: Residue | undefined, row: ShiftRow): void {
    this.#shifts += 1;
    const { code, name, line } = row;
    if (residue === undefined) {
      this.#first('SHIFTS_RESIDUE_UNKNOWN', () =>
        finding('SHIFTS_RESIDUE_UNKNOWN', { code, residue: name, line }),
      );
      return;
    }
    if (name !== residue.name && !isMissing(name)) {
      this.#first('SHIFTS_RESIDUE_DIFFERS', () =>
        finding('SHIFTS_RESIDUE_DIFFERS', { code, residue: name, expected: residue.name, line }),
      );
    }
    residue.atoms.set(row.atom, { value: row.value, line });
  }

  #first(code: InputFinding['code'], make: () => InputFinding): void {
    if (!this.findings.some((known) => known.code === code)) this.findings.push(make());
  }
}
