/** Converts the option columns of a row to the typed options of its kind, with the defaults of the services. */
import type { Kind, Options } from '../domain/item.ts';
import type { OptionColumn } from '../kinds/columns.ts';
import { ALL_KINDS, kindOf } from '../kinds/registry.ts';
import { nearest } from './problems/nearest.ts';
import { complaint, type Complaint } from './problems/problems.ts';

/** The trimmed value of one of our columns; empty if the row does not have it. */
export type FieldValues = (field: string) => string;

const TRUE = ['true', 'yes', 'y', 't', '1'];
const FALSE = ['false', 'no', 'n', 'f', '0'];

interface ReadOptions {
  /** With defaults for refused values: the row then has an error. */
  readonly options: Options;
  readonly complaints: readonly Complaint[];
}

export function readOptions(kind: Kind, values: FieldValues): ReadOptions {
  const complaints: Complaint[] = [];
  const own = kindOf(kind).options;
  for (const column of ALL_KINDS.flatMap(({ options }) => Object.keys(options))) {
    const value = values(column);
    if (value === '' || column in own) continue;
    complaints.push(complaint('MANIFEST_OPTION_UNUSED', { column, kind }, { column, value }));
  }
  const read = Object.entries(own).map(([name, column]) => {
    const cell = new OptionCell(name, column, values(name), complaints);
    return [column.key, cell.read()];
  });
  return { options: { kind, ...Object.fromEntries(read) } as Options, complaints };
}

/** One cell of an option column. Spreadsheet programs write 1 as 1.0 if the column has an empty cell. */
class OptionCell {
  readonly #name: string;
  readonly #column: OptionColumn;
  readonly #value: string;
  readonly #complaints: Complaint[];

  constructor(name: string, column: OptionColumn, value: string, complaints: Complaint[]) {
    this.#name = name;
    this.#column = column;
    this.#value = value;
    this.#complaints = complaints;
  }

  /** The default if the cell is empty or invalid. */
  read(): unknown {
    const column = this.#column;
    switch (column.type) {
      case 'choice':
        return this.#choice(column);
      case 'list':
        return this.#list(column);
      case 'integer':
        return this.#integer();
      case 'flag':
        return this.#flag(column.default);
    }
  }

  #choice(column: Extract<OptionColumn, { type: 'choice' }>): string {
    if (this.#value === '') return column.default;
    const word = this.#value.toLowerCase();
    const misspelt = column.misspelt?.[word];
    if (misspelt) {
      this.#complain(misspelt.problem, {});
      return misspelt.meant;
    }
    const chosen = findWord(column.allowed, word);
    if (chosen !== undefined) return chosen;
    this.#refuse(column.allowed, nearest(this.#value, column.allowed));
    return column.default;
  }

  #list(column: Extract<OptionColumn, { type: 'list' }>): readonly string[] {
    const chosen = new Set<string>();
    for (const name of this.#value.split(/[,;\s]+/).filter((part) => part !== '')) {
      const known = column.allowed.find((word) => word === name.toLowerCase());
      if (known !== undefined) chosen.add(known);
      else {
        const alias = column.aliases?.[name.toLowerCase()];
        const suggestion = alias ?? nearest(name, column.allowed);
        if (column.problem === undefined) this.#refuse(column.allowed, suggestion);
        else this.#complain(column.problem, { name, suggestion });
      }
    }
    return chosen.size === 0 ? column.default : [...chosen];
  }

  /** `-1`, `+1`, `1.0`, and `−1` with a typographic minus sign. */
  #integer(): number | null {
    if (this.#value === '') return null;
    const plain = this.#value.replace('\u2212', '-');
    // `|| 0`: turns minus zero into zero.
    if (/^[-+]?\d{1,3}(\.0*)?$/.test(plain)) return Number(plain) || 0;
    const { problem } = this.#column;
    if (problem === undefined) this.#refuse(['whole numbers'], null);
    else this.#complain(problem, {});
    return null;
  }

  #flag(fallback: boolean): boolean {
    if (this.#value === '') return fallback;
    const word = findWord([...TRUE, ...FALSE], this.#value.toLowerCase());
    if (word !== undefined) return TRUE.includes(word);
    const suggestion = nearest(this.#value, [...TRUE, ...FALSE]);
    this.#refuse(['true', 'false'], suggestion);
    return fallback;
  }

  #refuse(allowed: readonly string[], suggestion: string | null): void {
    this.#complain('MANIFEST_OPTION_INVALID', { column: this.#name, allowed, suggestion });
  }

  /** The facts of a column's own problem are known to the column. */
  #complain(code: string, facts: object): void {
    const where = { column: this.#name, value: this.#value };
    this.#complaints.push(complaint(code as 'MANIFEST_OPTION_INVALID', facts as never, where));
  }
}

function findWord(allowed: readonly string[], word: string): string | undefined {
  return allowed.find((one) => one === word || one === word.replace(/(?<=\d)\.0*$/, ''));
}
