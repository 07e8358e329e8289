/**
 * What is stored of a result of a plugin's kind, `reading.json` beside its files, and how a kind is described in its tree:
 * tables and report are made from these, so that a tree can be read without the plugin.
 */
import { z } from 'zod';
import {
  createError,
  type OptionColumns,
  type Artefact,
  type KindDefinition,
  type Measure,
  type StoredReading,
  type TableColumn,
} from './kind.ts';

export const READING_FILE = 'reading.json';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const reading = z.object({
  measures: z.record(z.string(), z.number().nullable()),
  rows: z.array(z.record(z.string(), z.union([cell, z.array(cell)]))),
  summary: z.string(),
});

interface Shown {
  readonly name: string;
  readonly measures: Readonly<Record<string, Omit<Measure<never>, 'of'>>>;
  /** Of the table of results; null: a row per item, with its measures. */
  readonly columns: Readonly<Record<string, TableColumn>> | null;
}

/** The part of a definition that shows results. */
export function createStoredReader({ name, measures, columns }: Shown) {
  const byItem = Object.fromEntries(
    Object.entries(measures).map(([key, { decimals, meaning }]): [string, TableColumn] => [
      key,
      { type: decimals === 0 ? 'integer' : 'number', meaning },
    ]),
  );
  return {
    reads: [READING_FILE],
    readResult: ({ get }) => {
      const text = get(READING_FILE);
      return text === null ? null : (reading.safeParse(JSON.parse(text)).data ?? null);
    },
    measures: Object.fromEntries(
      Object.entries(measures).map(([key, one]) => [
        key,
        { ...one, of: (result: StoredReading) => result.measures[key] ?? null },
      ]),
    ),
    table: {
      name,
      words: name,
      columns: columns ?? byItem,
      rows: (result: StoredReading) => result.rows,
      ...(columns === null && { isByItem: true as const }),
    },
    measuresTable: columns === null ? null : `${name}-measures`,
    summary: (result: StoredReading) => result.summary,
  } satisfies Partial<KindDefinition<string, OptionColumns, StoredReading>>;
}

const column = z.object({
  type: z.enum(['text', 'integer', 'number', 'boolean']),
  meaning: z.string().exactOptional(),
});

/** A kind of a plugin as its tree describes it. */
export const describedKind = z.object({
  name: z.string(),
  version: z.int(),
  plugin: z.string(),
  sha256: z.string(),
  words: z.object({ one: z.string(), many: z.string() }),
  folder: z.string(),
  /** That contains the input, instead of a file. */
  column: z.object({ name: z.string(), synonyms: z.array(z.string()).exactOptional() }).nullable(),
  /** By column: plain data. */
  options: z.record(z.string(), z.unknown()),
  artefacts: z.record(z.string(), z.unknown()),
  measures: z.record(
    z.string(),
    z.object({
      title: z.string(),
      unit: z.string(),
      meaning: z.string(),
      decimals: z.int(),
      isMain: z.boolean(),
    }),
  ),
  columns: z.record(z.string(), column).nullable(),
  estimate: z.object({ seconds: z.number(), bytes: z.number() }),
});

type DescribedKind = z.output<typeof describedKind>;

/* eslint-disable @typescript-eslint/no-explicit-any -- options and results only pass through */
export function describeKind(
  kind: Omit<KindDefinition<string, any>, 'options'> & { readonly options: OptionColumns },
  source: Pick<DescribedKind, 'plugin' | 'sha256'>,
): DescribedKind {
  const { version = 1, input, table } = kind;
  const columns = table.isByItem ? null : table.columns;
  const all = { ...kind, ...source, version, column: input.column, columns };
  // Functions have no JSON; the schema leaves the rest out.
  const plain: unknown = JSON.parse(JSON.stringify(all));
  return describedKind.parse(plain);
}

/** For a process without its plugin: shows results, and accepts no input. */
export function restoreKind(described: DescribedKind): KindDefinition<string, any, StoredReading> {
  const { name, plugin, column: own, artefacts } = described;
  const refusal = createError(
    'PLUGIN_NOT_LOADED',
    `The kind ${name} is one of the plugin ${plugin}, which is not loaded.`,
    'Name the plugin under `plugins:` in hundredfold.yaml.',
  );
  return {
    ...described,
    input: {
      column: own,
      extensions: [],
      read: () => ({ input: null, canonical: '', findings: [refusal] }),
    },
    share: null,
    artefacts: artefacts as Readonly<Record<string, Artefact<any>>>,
    ...createStoredReader(described),
  };
}
/* eslint-enable @typescript-eslint/no-explicit-any */
