/** Kinds and services as a plugin writes them: by artefact, with a check of its own, and without what has no scientific meaning. */
import type {
  Reading,
  OptionColumn,
  OptionColumns,
  ValuesOf as Values,
  Artefact,
  Cell,
  Cells,
  InputReader,
  InputSource,
  JobFacts,
  Judge,
  Judged,
  KindDefinition,
  KindExample,
  Measure,
  ResultFault,
  StoredReading,
  TableColumn,
} from '../../kinds/kind.ts';
import { createStoredReader } from '../../kinds/stored-reading.ts';
import type { z } from 'zod';
import {
  defineService,
  findMaxNameLength,
  type ServedKind,
  type Service,
  type ServiceDefinition,
} from '../service.ts';
import { checkShape, DefinitionRefused, kindShape, serviceShape } from './shapes.ts';

/**
 * Definitions carry a mark by which the exports of a plugin are told apart. A registered symbol: the plugin's copy of this
 * module may be another one than ours.
 */

const MARK = Symbol.for('hundredfold.definition');

type Marked = 'kind' | 'service';

export function mark<T extends object>(what: Marked, definition: T): T {
  return Object.assign(definition, { [MARK]: what });
}

export function readMark(value: unknown): Marked | null {
  if (typeof value !== 'object' || value === null) return null;
  return ((value as Record<symbol, unknown>)[MARK] as Marked | undefined) ?? null;
}

/** `file`: its name in the item's folder; default of `presence`: `required`. */
export type PluginArtefact = Pick<Artefact, 'when' | 'isPaged'> &
  Partial<Pick<Artefact, 'presence'>> & { readonly file: string };

/** Texts by artefact: all pages of a paged one, null for one that is absent. */
export type Files<A> = {
  readonly [N in keyof A]: A[N] extends { readonly isPaged: true }
    ? readonly string[]
    : A[N] extends { readonly presence: 'usual' | 'optional' }
      ? string | null
      : string;
};

/** How an input is recognised and read: `read` ends with `accept(…)` or `refuse(…)`. */
export type PluginInput<O> = Pick<InputReader<O>, 'recognise'> & {
  /** A column that may contain the input instead of `file`. */
  readonly column?: NonNullable<InputReader['column']>;
  /** Of files, with the dot. */
  readonly extensions?: readonly string[];
  readonly read: (source: InputSource, options: O) => Reading;
};

/** An option column; `key`, its name in the program, is that of the column if it is left out. */
type PluginOption = OptionColumn extends infer O
  ? O extends OptionColumn
    ? Omit<O, 'key'> & { readonly key?: never }
    : never
  : never;

type Options = Readonly<Record<string, PluginOption>>;
type Keyed<C extends Options> = { readonly [N in keyof C & string]: C[N] & { readonly key: N } };
type ValuesOf<C extends Options> = Values<Keyed<C>>;

/** A number that characterises a whole result: by default a main one, without unit and decimals. */
type PluginMeasure<R> = Pick<Measure<R>, 'title' | 'meaning' | 'of'> &
  Partial<Pick<Measure<R>, 'unit' | 'decimals' | 'isMain'>>;

/** A row of the table of results. */
type Row<T> = { readonly [N in keyof T]: Cell };

/** The table of results in `tables/`. */
export interface PluginTable<R, T, O> {
  /** Each with its type and, for the data dictionary, its meaning. */
  readonly columns: T;
  readonly rows: (result: R, item: { readonly options: O }) => readonly Row<T>[];
}

type Artefacts = Readonly<Record<string, PluginArtefact>>;
type Columns = Readonly<Record<string, TableColumn>>;

export interface PluginKind<
  N extends string,
  C extends Options,
  A extends Artefacts,
  T extends Columns,
  R,
> {
  /** `[a-z][a-z0-9-]*`: in manifests, ids, tables and messages. */
  readonly name: N;
  /** Increase it when the same input and options mean another result: rows share jobs by it. Default: 1. */
  readonly version?: number;
  /** In sentences; default of `many`: with an s. */
  readonly words: { readonly one: string; readonly many?: string };
  /** The folder of its items in the output tree; default: the name. */
  readonly folder?: string;
  readonly input: PluginInput<ValuesOf<C>>;
  /** Columns that choose what is computed. */
  readonly options?: C;
  /** Inputs that are accepted: `doctor --service` tries the service with the first one. */
  readonly examples?: readonly KindExample[];
  /** What an ended job offers, the first one being the result itself. */
  readonly artefacts: A;
  /** Null if the files are not in the expected form: the item fails. */
  readonly readResult: (files: Files<A>) => R | null;
  /** Is it complete, finite, and that of this input? Null, or what is wrong. */
  readonly check: (result: R, job: JobFacts<ValuesOf<C>>) => string | ResultFault | null;
  /** Numbers that characterise a result. */
  readonly measures: Readonly<Record<string, PluginMeasure<R>>>;
  /** Default: one row per item, with its measures. */
  readonly table?: PluginTable<R, T, ValuesOf<C>>;
  /** Short enough for a table cell; default: the main measures. */
  readonly summary?: (result: R) => string;
  /** Of one job: seconds at an idle service, and bytes in the output tree; for plans. */
  readonly estimate?: { readonly seconds: number; readonly bytes: number };
}

/** A kind with the names of its artefacts and the types of its options, which its service needs. */
type DefinedKind<N extends string, C extends Options, A> = Omit<
  KindDefinition<N, OptionColumns, StoredReading>,
  'artefacts' | 'input'
> & {
  readonly judge: Judge;
  readonly artefacts: { readonly [K in keyof A]: Artefact };
  readonly input: Pick<InputReader, 'column' | 'extensions'> &
    Pick<PluginInput<ValuesOf<C>>, 'recognise' | 'read'>;
};

/** No options, or no columns. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- it has no keys, and is no index signature
type None = Record<never, never>;

/** The definition for the registry: what is shown of a result is read from what was stored of it. */
export function definePluginKind<
  const N extends string,
  const A extends Artefacts,
  R,
  const C extends Options = None,
  const T extends Columns = None,
>(kind: PluginKind<N, C, A, T, R>): DefinedKind<N, C, A> {
  checkShape(kindShape, kind);
  const { name, words, input, artefacts, table } = kind;
  const measures = Object.fromEntries(
    Object.entries(kind.measures).map(([key, one]): [string, Measure<R>] => [
      key,
      { unit: '', decimals: 0, isMain: true, ...one },
    ]),
  );
  return mark('kind', {
    name,
    version: kind.version ?? 1,
    words: { one: words.one, many: words.many ?? `${words.one}s` },
    folder: kind.folder ?? name,
    input: { column: null, extensions: [], ...input },
    options: Object.fromEntries(
      Object.entries(kind.options ?? {}).map(([column, one]) => [column, { ...one, key: column }]),
    ),
    ...(kind.examples && { examples: kind.examples }),
    share: null,
    artefacts: Object.fromEntries(
      Object.entries(artefacts).map(([key, one]) => [key, { presence: 'required', ...one }]),
    ) as never,
    ...createStoredReader({
      name,
      measures,
      columns: table?.columns ?? null,
    }),
    estimate: kind.estimate ?? { seconds: 10, bytes: 50_000 },
    judge: (files: Texts, job: JobFacts) =>
      judgeAnswers({ ...kind, measures }, files, job as never),
  });
}

type Texts = Readonly<Record<string, readonly string[]>>;

function judgeAnswers<C extends Options, A extends Artefacts, T extends Columns, R>(
  kind: Omit<PluginKind<string, C, A, T, R>, 'measures'> & {
    readonly measures: Readonly<Record<string, Measure<R>>>;
  },
  files: Texts,
  job: JobFacts<ValuesOf<C>>,
): Judged {
  const texts = Object.entries(kind.artefacts).map(([key, { isPaged = false }]) => {
    const pages = files[key] ?? [];
    return [key, isPaged ? pages : (pages[0] ?? null)] as const;
  });
  const result = kind.readResult(Object.fromEntries(texts) as Files<A>);
  if (result === null) {
    const message = `The result is not in the expected form of ${kind.words.one}.`;
    return { fault: { code: 'RESULT_NOT_READABLE', message } };
  }
  const fault = kind.check(result, job);
  if (fault !== null)
    return { fault: typeof fault === 'string' ? { code: 'RESULT_WRONG', message: fault } : fault };
  const measures = Object.fromEntries(
    Object.entries(kind.measures).map(([key, { of }]) => [key, of(result)]),
  );
  const rows: readonly Cells[] = kind.table?.rows(result, job) ?? [measures];
  return {
    reading: { measures, rows, summary: kind.summary?.(result) ?? sum(kind.measures, measures) },
  };
}

/** `412 mapped, 3 not mapped` */
function sum<R>(
  measures: Readonly<Record<string, Measure<R>>>,
  values: Readonly<Record<string, number | null>>,
): string {
  return Object.entries(measures)
    .filter(([key, { isMain }]) => isMain && values[key] !== null)
    .map(([key, { title, unit, decimals }]) => {
      const value = (values[key] ?? 0).toFixed(decimals);
      return [value, unit, title.toLowerCase()].filter((word) => word !== '').join(' ');
    })
    .join(', ');
}

export function definePluginService<
  const N extends string,
  K extends ServedKind,
  C extends z.ZodObject = z.ZodObject,
>(definition: ServiceDefinition<N, K, C>): Service & { readonly name: N } {
  if (typeof definition.name !== 'string')
    throw new DefinitionRefused(null, ['`name` is missing: write a text']);
  const service = defineService<N, K, C>({ secrets: {}, ...definition });
  checkShape(serviceShape, service);
  const faults = listFaults(service);
  if (faults.length > 0) throw new DefinitionRefused(service.name, faults);
  return mark('service', service);
}

/** What neither types nor its shape can refuse in a definition, a sentence each. */
function listFaults(service: Service): readonly string[] {
  const { name, kinds, identity, secrets, list, submit, fetch, config } = service;
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string) => isRight || faults.push(fault);
  const longest = findMaxNameLength(service);
  check(
    longest === null || !('missing' in list),
    `\`identity\` is by ${identity.by}, but there is no \`list\` in which a name could be looked up`,
  );
  check(
    longest === null || longest >= MIN_NAME_LENGTH,
    `\`identity.maxLength\` is less than ${MIN_NAME_LENGTH} characters, in which no name is unique`,
  );
  for (const { name: kind, artefacts = {} } of kinds as readonly (ServedKind & {
    artefacts?: object;
  })[]) {
    check(kind in submit.request, `\`submit.request\` has nothing for its kind ${kind}`);
    for (const artefact of Object.keys(artefacts))
      check(artefact in fetch, `\`fetch\` has nothing for ${artefact} of its kind ${kind}`);
  }
  for (const key of Object.keys(secrets))
    check(!RESERVED.has(key), `the secret \`${key}\` has the name of a key that every service has`);
  for (const key of Object.keys(config.shape))
    check(
      !RESERVED.has(key) && !(key in secrets),
      `\`config.${key}\` has the name of another key under services.${name}`,
    );
  return faults;
}

/** Characters: those of the digest in a name (src/store/item-store.ts), and a few to read. */
const MIN_NAME_LENGTH = 24;

/** Keys under `services.NAME` that every service has. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['url', 'budget', 'maxOpen', 'poll'],
  ...['allowHttp', 'tls', 'basic', 'headers', 'proxy'],
]);
