/** Converts the option columns of a row to the typed options of its kind, with the defaults of the services. */
import type { Kind, Options } from '../domain/item.ts';
import type { InputFinding, OptionColumn } from '../kinds/kind.ts';
import { listKinds, findKind } from '../kinds/registry.ts';
import { findNearest } from './columns.ts';
import { list, quote, suggestOr } from '../domain/plain-text.ts';
import { createError, createWarning, type Complaint, toComplaint } from './problems.ts';

/** The trimmed value of one of our columns; empty if the row does not have it. */
export type FieldValues = (field: string) => string;

const TRUE = ['true', 'yes', 'y', 't', '1'];
const FALSE = ['false', 'no', 'n', 'f', '0'];

/** With defaults for refused values: the row then has an error. */
export function readOptions(kind: Kind, values: FieldValues, complaints: Complaint[]): Options {
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
    complaints.push(unused);
  }
  const read = Object.entries(own).map(([name, column]) => {
    const value = values(name);
    const where = { column: name, value };
    const refuse: Refuse = (problem) => {
      complaints.push(
        'code' in problem
          ? toComplaint(problem, where)
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
  problem:
    InputFinding | { readonly allowed: readonly string[]; readonly suggestion: string | null },
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
