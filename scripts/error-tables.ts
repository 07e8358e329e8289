/**
 * Writes the tables of codes in the documentation from the registries in src: `node scripts/error-tables.ts`.
 * A test compares both (test/project/generated.test.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADOPT_ERRORS } from '../src/domain/error-codes/adopt-errors.ts';
import { CAMPAIGN_ERRORS } from '../src/domain/error-codes/campaign-errors.ts';
import { CONFIGURATION_ERRORS } from '../src/domain/error-codes/configuration-errors.ts';
import { ENGINE_ERRORS } from '../src/domain/error-codes/engine-errors.ts';
import type { ErrorTable } from '../src/domain/error-codes/error-entry.ts';
import { EXPORT_ERRORS } from '../src/domain/error-codes/export-errors.ts';
import { HOST_ERRORS } from '../src/domain/error-codes/host-errors.ts';
import { NOTIFY_ERRORS } from '../src/domain/error-codes/notify-errors.ts';
import { SETUP_ERRORS } from '../src/domain/error-codes/setup-errors.ts';
import { STORE_ERRORS } from '../src/domain/error-codes/store-errors.ts';
import { TEMPORAL_ERRORS } from '../src/domain/error-codes/temporal-errors.ts';
import { TLS_ERRORS } from '../src/domain/error-codes/tls-errors.ts';
import { TRANSFER_ERRORS } from '../src/domain/error-codes/transfer-errors.ts';
import { USAGE_ERRORS } from '../src/domain/error-codes/usage-errors.ts';
import { EXIT } from '../src/domain/exit.ts';
import { LEFT_OUT } from '../src/export/format.ts';
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

/** Families with a table on a page of their own: this page only refers to it. */
const LINKED: readonly Row[] = [
  ...reference(ADOPT_ERRORS, '[adopting.md](adopting.md#when-adopt-refuses)'),
  ...reference(EXPORT_ERRORS, '[export.md](export.md#messages)'),
  ...reference(TRANSFER_ERRORS, '[object-store.md](object-store.md#errors)'),
];

const CODE_EXIT_ADVICE = ['code', 'exit code', 'what to do'];

/** Page → name of a table → its rows, the header first. */
const TABLES: Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>> = {
  'operations.md': {
    usage: [
      CODE_EXIT_ADVICE,
      ...ELSEWHERE,
      ...rowsOf({ ...USAGE_ERRORS, ...CAMPAIGN_ERRORS }),
      ...LINKED,
    ],
    run: [
      CODE_EXIT_ADVICE,
      ...rowsOf({ ...SETUP_ERRORS, ...TEMPORAL_ERRORS, ...TLS_ERRORS, ...HOST_ERRORS }),
      ...reference(ENGINE_ERRORS, '[engines.md](engines.md#when-it-does-not-work)'),
      ...rowsOf(STORE_ERRORS),
    ],
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
  'configuration.md': {
    notify: [
      ['code', 'what happened', 'what to do'],
      ...Object.entries(NOTIFY_ERRORS).map(([code, { meaning, advice }]) => [
        inCode([code]),
        meaning,
        advice,
      ]),
    ],
    configuration: [CODE_EXIT_ADVICE, ...rowsOf(CONFIGURATION_ERRORS)],
  },
  'adopting.md': {
    adopt: [
      ['code', 'exit code', 'what', 'what to do'],
      ...Object.entries<ErrorTable[string]>(ADOPT_ERRORS).map(
        ([code, { exit, meaning = '', advice }]) => [
          inCode([code]),
          String(EXIT[exit]),
          meaning,
          advice,
        ],
      ),
      [
        '`CAMPAIGN_DIFFERS`',
        '2',
        '`--name` is a campaign with its own manifest',
        'add rows to that manifest, or use another name',
      ],
    ],
  },
  'export.md': {
    'left out': [
      ['left out because', 'meaning'],
      ...Object.entries(LEFT_OUT).map(([code, meaning]) => [inCode([code]), meaning]),
    ],
    export: [['code', 'exit code', 'meaning'], ...rowsOf(EXPORT_ERRORS)],
  },
  'engines.md': {
    engines: [
      ['message', 'what to do'],
      ...rowsOf(ENGINE_ERRORS).map(([code = '', , advice = '']) => [code, advice]),
      [
        '`The b2bTools process is gone: …`',
        'the text after it comes from Python; `npm run engines -- --check` loads the engine once',
      ],
    ],
  },
  'object-store.md': {
    transfer: [['code', 'exit code', 'meaning'], ...rowsOf(TRANSFER_ERRORS)],
  },
};

export const PAGES: readonly string[] = Object.keys(TABLES);

/** A row for each advice; codes with the same one share it. */
function rowsOf(table: ErrorTable): readonly Row[] {
  const groups = Map.groupBy(
    Object.entries(table),
    ([, { exit, advice }]) => `${EXIT[exit]} ${advice}`,
  );
  return [...groups.values()].flatMap((entries) =>
    entries.slice(0, 1).map(([, { exit, advice }]) => {
      return [inCode(entries.map(([code]) => code)), String(EXIT[exit]), advice];
    }),
  );
}

/** A row for each exit code, with a link instead of advice. */
function reference(table: ErrorTable, link: string): readonly Row[] {
  return rowsOf(
    Object.fromEntries(
      Object.entries(table).map(([code, { exit }]) => [code, { exit, advice: link }]),
    ),
  );
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

export function readPage(page: string): string {
  return readFileSync(join(DOCS, page), 'utf8');
}

/** The page with its tables from the registries. */
export function withCodes(page: string): string {
  const tables = Object.entries(TABLES[page] ?? {});
  return tables.reduce((text, [name, rows]) => withTable(text, name, rows), readPage(page));
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
  for (const page of PAGES) writeFileSync(join(DOCS, page), withCodes(page));
