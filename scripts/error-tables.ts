/**
 * Writes the tables of codes in the documentation from the registries of src/domain: `node scripts/error-tables.ts`.
 * A test compares both (test/project/error-codes.test.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { CONFIGURATION_ERRORS } from '../src/domain/error-codes/configuration-errors.ts';
import type { ErrorRow } from '../src/domain/error-codes/error-row.ts';
import { RUN_ERRORS } from '../src/domain/error-codes/run-errors.ts';
import { STORE_ERRORS } from '../src/domain/error-codes/store-errors.ts';
import { USAGE_ERRORS } from '../src/domain/error-codes/usage-errors.ts';
import { EXIT } from '../src/domain/exit.ts';
import { ITEM_END_FAMILIES, ITEM_ENDS } from '../src/domain/item-end-codes.ts';

type Row = readonly string[];

const DOCS = join(import.meta.dirname, '..', 'docs');
const END = '<!-- end -->';

/** Codes of rows, and of the configuration, have pages of their own. */
const ELSEWHERE: readonly Row[] = [
  [
    '`MANIFEST_…`, `MOLECULE_…`, `SMILES_…`, `SEQUENCE_…`, `ALIGNMENT_…`, `SHIFTS_…`',
    '2',
    'correct all rows that are named; [manifest.md](manifest.md#what-is-checked)',
  ],
  ['`CONFIG_…`', '2', '[configuration.md](configuration.md#errors)'],
];

/** Page → name of a table → its rows, the header first. */
const TABLES: Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>> = {
  'operations.md': {
    usage: [...errorRows(USAGE_ERRORS, ELSEWHERE)],
    run: [...errorRows([...RUN_ERRORS, ...STORE_ERRORS])],
    items: [
      ['code', 'what happened', 'what to do'],
      ...ITEM_ENDS.map(({ codes, meaning, remedy }) => [inCode(codes), meaning, remedy]),
      ...ITEM_END_FAMILIES.map(({ prefixes, meaning, remedy }) => [
        inCode(prefixes.map((prefix) => `${prefix}…`)),
        meaning,
        remedy,
      ]),
    ],
  },
  'configuration.md': { configuration: [...errorRows(CONFIGURATION_ERRORS)] },
};

export const PAGES: readonly string[] = Object.keys(TABLES);

function errorRows(rows: readonly ErrorRow[], before: readonly Row[] = []): readonly Row[] {
  return [
    ['code', 'exit code', 'what to do'],
    ...before,
    ...rows.map(({ codes, exit, advice }) => [inCode(codes), String(EXIT[exit]), advice]),
  ];
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

export function readPage(page: string): string {
  return readFileSync(join(DOCS, page), 'utf8');
}

/** The page with its tables from the registries. */
export async function withCodes(page: string): Promise<string> {
  const tables = Object.entries(TABLES[page] ?? {});
  const text = tables.reduce(
    (former, [name, rows]) => withTable(former, name, rows),
    readPage(page),
  );
  const style = await resolveConfig(join(DOCS, page));
  return format(text, { ...style, parser: 'markdown' });
}

function withTable(text: string, name: string, [header = [], ...rows]: readonly Row[]): string {
  const begin = `<!-- ${name}: made by scripts/error-tables.ts -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`no place for a table: ${begin} … ${END}`);
  const lines = [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return [text.slice(0, from) + begin, '', ...lines, '', text.slice(to)].join('\n');
}

if (process.argv[1] === import.meta.filename)
  for (const page of PAGES) writeFileSync(join(DOCS, page), await withCodes(page));
