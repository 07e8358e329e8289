/** Our columns (docs/manifest.md), names that were probably meant to be one of them, and the values of the option columns. */
import type { Kind, Options } from '../domain/campaign.ts';
import { findKind, listKinds } from '../kinds/registry.ts';
import { list, quote, suggestOr } from '../domain/plain-text.ts';
import { type Finding, type OptionColumn, createError, createWarning } from '../kinds/kind.ts';

/** Names of our columns in other programs. */
const SYNONYMS: readonly (readonly [string, readonly string[]])[] = [
  ['file', ['path', 'filename', 'file_name', 'filepath', 'file_path', 'input_file']],
  ['remote_id', ['request_id', 'hash_id']],
];
/** Of a table without `id`, in this order. */
const NAMES = [
  ...['identifier', 'compound_id', 'molecule_id', 'mol_id', 'sequence_id', 'protein_id'],
  ...['compound_name', 'compound', 'molecule_name', 'protein_name', 'name'],
];

interface Columns {
  readonly kinds: number;
  /** The columns that contain or name the input. */
  readonly inputs: readonly string[];
  readonly all: ReadonlySet<string>;
  readonly synonyms: readonly (readonly [string, readonly string[]])[];
}

let columns: Columns | null = null;

/** Made again when a plugin has added a kind. */
function readColumns(): Columns {
  if (columns?.kinds === listKinds().length) return columns;
  const cells = listKinds().flatMap(({ input }) => input.column ?? []);
  const options = listKinds().flatMap((kind) => Object.entries(kind.options));
  const inputs = ['file', ...cells.map(({ name }) => name)];
  return (columns = {
    kinds: listKinds().length,
    inputs,
    all: new Set([
      ...['id', 'kind', ...inputs, 'remote_id'],
      ...[...options.map(([name]) => name), 'email', 'title'],
    ]),
    synonyms: [
      ...SYNONYMS,
      ...cells.map(({ name, synonyms = [] }) => [name, synonyms] as const),
      ...options.map(([name, { synonyms = [] }]) => [name, synonyms] as const),
    ],
  });
}

export function listInputFields(): readonly string[] {
  return readColumns().inputs;
}

/**
 * The columns of the input, and the one that names an existing job, whose input the service has. A table without any of
 * them has nothing to run.
 */
export function listWorkFields(): readonly string[] {
  return [...listInputFields(), 'remote_id'];
}

export function listFields(): readonly string[] {
  return [...readColumns().all];
}

export function isField(column: string): boolean {
  return readColumns().all.has(column);
}

/** Columns by our names: `SMILES` becomes `smiles` if no other column has that name. Trimmed. */
export function toFieldNames(columns: readonly string[]): string[] {
  const names = columns.map((column) => column.trim());
  const written = new Set(names);
  return names.map((name) => {
    const folded = name.toLowerCase();
    return isField(folded) && !written.has(folded) ? folded : name;
  });
}

/** `Compound ID` is `compound_id`. */
function normaliseName(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
}

/** What a row without a column `id` calls itself; empty if it does not. */
export function nameIn(cells: Readonly<Record<string, string>>): string {
  if ('id' in cells) return '';
  const own = Object.keys(cells);
  const column = NAMES.map((name) => own.find((one) => normaliseName(one) === name)).find(
    (one) => one !== undefined,
  );
  return column === undefined ? '' : (cells[column] ?? '').trim();
}

/** Per table: the maximum of a spreadsheet. */
const MAX_COLUMNS = 16_384;

/** Problems of the header line; not `usable`: no row can be read with it. */
export function checkHeader(
  written: readonly string[],
  line: number,
): { readonly usable: boolean; readonly findings: readonly Finding[] } {
  if (written.length > MAX_COLUMNS) {
    const tooMany = createError(
      'MANIFEST_COLUMNS_TOO_MANY',
      `The first line names ${written.length} columns; a table may have up to ${MAX_COLUMNS}.`,
      'Keep the columns that you need; the table may be transposed.',
      { line },
    );
    return { usable: false, findings: [tooMany] };
  }
  const names = toFieldNames(written).filter((column) => column !== '');
  const repeated = new Set(names.filter((column, at) => names.indexOf(column) < at));
  const findings = [...repeated].map((column) =>
    createError(
      'MANIFEST_COLUMN_REPEATED',
      `The column ${quote(column)} appears twice.`,
      'Give every column a unique name.',
      { column, value: column, line },
    ),
  );
  findings.push(...new ColumnWatch().see(names, line));
  const usable = listWorkFields().some((field) => names.includes(field));
  if (!usable) {
    const missing = createError(
      'MANIFEST_COLUMNS_MISSING',
      `The first line names none of the columns ${list(listInputFields())} and \`remote_id\`; it has ${list(names)}.`,
      'The first line contains the column names, separated by commas or semicolons in .csv and by tabs in .tsv; one of these is needed.',
      { line, value: names.join(',') },
    );
    findings.push(missing);
  }
  return { usable, findings };
}

/** Reports every column of a manifest once, at its first row. */
export class ColumnWatch {
  readonly #seen = new Set<string>();

  /** `columns`: all of one row. */
  see(columns: readonly string[], line: number): Finding[] {
    const found: Finding[] = [];
    for (const column of columns) {
      // Rows of JSON can have any number of new columns.
      if (this.#seen.has(column) || this.#seen.size > MAX_COLUMNS) continue;
      this.#seen.add(column);
      if (isField(column)) continue;
      const suggestion = findMeant(column, columns);
      if (suggestion === null) continue;
      const typo = createWarning(
        'MANIFEST_COLUMN_TYPO',
        `The column ${quote(column)} is unknown and kept as your own data.`,
        `Did you mean \`${suggestion}\`? If so, rename the column.`,
        { column, value: column, line },
      );
      found.push(typo);
    }
    return found;
  }
}

/** A name of another program is meant as ours only if no column of ours is there. */
function findMeant(column: string, columns: readonly string[]): string | null {
  const plain = normaliseName(column);
  const near = findNearest(plain, listFields());
  if (near !== null) return near;
  const field = readColumns().synonyms.find(([, synonyms]) => synonyms.includes(plain))?.[0];
  if (field === undefined) return null;
  const inputs = listInputFields();
  const rivals = inputs.includes(field) ? inputs : [field];
  return columns.some((name) => rivals.includes(name)) ? null : field;
}

/** The known name that was probably meant by a misspelt one. */
export function findNearest<T extends string>(text: string, known: readonly T[]): T | null {
  const given = text.trim().toLowerCase();
  let best: T | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const limit = Math.min(computeAllowance(name.length), computeAllowance(given.length));
    if (Math.abs(name.length - given.length) > limit) continue;
    const distance = computeEditDistance(given, name);
    if (distance <= limit && distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Names of up to two letters must match except for case; short ones may differ by one letter, long ones by two. */
function computeAllowance(length: number): number {
  if (length <= 2) return 0;
  return length <= 5 ? 1 : 2;
}

/** Letters added, dropped, changed, or swapped with their neighbour (optimal string alignment). */
function computeEditDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    const above = (back: number, column: number): number => rows[row - back]?.[column] ?? Infinity;
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          above(1, column) + 1,
          (current[column - 1] ?? 0) + 1,
          above(1, column - 1) + change,
          isSwap ? above(2, column - 2) + 1 : Infinity,
        ),
      );
    }
    rows.push(current);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/* ---- options ---- */

/** The trimmed value of one of our columns; empty if the row does not have it. */
export type FieldValues = (field: string) => string;

const TRUE = ['true', 'yes', 'y', 't', '1'];
const FALSE = ['false', 'no', 'n', 'f', '0'];

/** With defaults for refused values: the row then has an error. */
export function readOptions(kind: Kind, values: FieldValues, findings: Finding[]): Options {
  const own = findKind(kind).options;
  for (const column of listKinds().flatMap(({ options }) => Object.keys(options))) {
    const value = values(column);
    if (value === '' || column in own) continue;
    const unused = createWarning(
      'MANIFEST_OPTION_UNUSED',
      `\`${column}\` does not apply to the kind \`${kind}\` and is ignored.`,
      'Leave the cell empty.',
      { column, value },
    );
    findings.push(unused);
  }
  const read = Object.entries(own).map(([name, column]) => {
    const value = values(name);
    const where = { column: name, value };
    const refuse: Refuse = (problem) => {
      findings.push(
        'code' in problem
          ? { ...where, ...problem }
          : createError(
              'MANIFEST_OPTION_INVALID',
              `${quote(value)} is not a value of \`${name}\`.`,
              suggestOr(
                problem.suggestion,
                `Allowed are ${list(problem.allowed)}, or an empty cell for the default.`,
              ),
              where,
            ),
      );
    };
    return [column.key, readOption(column, value, refuse)];
  });
  return { kind, ...Object.fromEntries(read) } as Options;
}

/** With the words of the column, or by what is allowed. */
type Refuse = (
  problem: Finding | { readonly allowed: readonly string[]; readonly suggestion: string | null },
) => void;

/** The default if the cell is empty or refused. Spreadsheet programs write 1 as 1.0 if the column has an empty cell. */
function readOption(column: OptionColumn, value: string, refuse: Refuse): unknown {
  switch (column.type) {
    case 'choice':
      return value === '' ? column.default : readChoice(column, value, refuse);
    case 'list':
      return readList(column, value, refuse);
    case 'integer':
      return value === '' ? null : readInteger(column, value, refuse);
    case 'flag':
      return value === '' ? column.default : readFlag(column, value, refuse);
    case 'text':
      return value === '' ? column.default : value;
  }
}

type ColumnOf<T extends OptionColumn['type']> = Extract<OptionColumn, { type: T }>;

function readChoice(column: ColumnOf<'choice'>, value: string, refuse: Refuse): string {
  const word = value.toLowerCase();
  const misspelt = column.misspelt?.[word];
  const chosen = misspelt?.meant ?? findWord(column.allowed, word);
  if (misspelt) refuse(misspelt.finding);
  else if (chosen === undefined) {
    refuse({ allowed: column.allowed, suggestion: findNearest(value, column.allowed) });
  }
  return chosen ?? column.default;
}

function readList(column: ColumnOf<'list'>, value: string, refuse: Refuse): readonly string[] {
  const { allowed } = column;
  const chosen = new Set<string>();
  for (const name of value.split(/[,;\s]+/).filter((part) => part !== '')) {
    const known = allowed.find((word) => word === name.toLowerCase());
    if (known !== undefined) chosen.add(known);
    else {
      const suggestion = column.aliases?.[name.toLowerCase()] ?? findNearest(name, allowed);
      refuse(column.refuse?.(name, suggestion) ?? { allowed, suggestion });
    }
  }
  return chosen.size === 0 ? column.default : [...chosen];
}

/** `-1`, `+1`, `1.0`, and `−1` with a typographic minus sign. */
function readInteger(column: ColumnOf<'integer'>, value: string, refuse: Refuse): number | null {
  const plain = value.replace('\u2212', '-');
  // `|| 0`: turns minus zero into zero.
  if (/^[-+]?\d{1,3}(\.0*)?$/.test(plain)) return Number(plain) || 0;
  refuse(column.refuse?.(value, null) ?? { allowed: ['whole numbers'], suggestion: null });
  return null;
}

function readFlag(column: ColumnOf<'flag'>, value: string, refuse: Refuse): boolean {
  const word = findWord([...TRUE, ...FALSE], value.toLowerCase());
  if (word !== undefined) return TRUE.includes(word);
  refuse({ allowed: ['true', 'false'], suggestion: findNearest(value, [...TRUE, ...FALSE]) });
  return column.default;
}

function findWord(allowed: readonly string[], word: string): string | undefined {
  const plain = word.replace(/(?<=\d)\.0*$/, '');
  return allowed.find((one) => [word, plain].includes(one.toLowerCase()));
}
