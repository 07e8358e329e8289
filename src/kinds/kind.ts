/**
 * What a kind is: what an input of it is and how it is read, and what its result is, how it is checked, and what is shown
 * of it. The manifest, the engine, the output tree and the report ask the kind and never compare with its name.
 */
import type { InputText, Options, OptionValue, Problem, Severity } from '../domain/campaign.ts';
import type { Timing } from '../domain/outcomes.ts';
import type { PackedResult } from './page-data.ts';
import { z } from 'zod';

/** One input as the user gave it: a cell, or a file. */
export interface InputSource {
  /** Of the row; null if it has no valid one. */
  readonly id: string | null;
  /** `file`, or the kind's own column. */
  readonly column: string;
  readonly text: string;
  /** Of the file, in lower case with its dot; empty for a cell. */
  readonly extension: string;
}

/** How an input is recognised and read: of its own, so that several kinds can have the same. */
export interface InputReader<O = Options> {
  /** The column that may contain the input instead of `file`; `synonyms`: its names in other programs. */
  readonly column: { readonly name: string; readonly synonyms?: readonly string[] } | null;
  readonly extensions: readonly string[];
  /** One item per record if a file with this extension is itself the manifest. */
  readonly records?: Readonly<Record<string, 'lines' | 'fasta' | 'sdf'>>;
  /** A file is read by its extension: any other is refused, also if the row names the kind. */
  readonly isByExtension?: true;
  /** For an extension that other kinds have too: whether it is this kind, or why that is unclear. */
  readonly recognise?: (text: string) => boolean | string;
  /** A likely correction of a refused input, for review; null if there is none. */
  readonly repair?: (text: string) => Promise<string | null>;
  /** Checks all that can be checked before a job is spent. */
  readonly read: (source: InputSource, options: O) => Reading | Promise<Reading>;
}

/** Rows of equal input that differ in some options, and still need one job. */
interface Share<O> {
  /** Whether a job with these options provides everything requested. */
  readonly covers: (job: O, wanted: O) => boolean;
  /** The options of one job that serves both. */
  readonly combine: (one: O, other: O) => O;
}

/** What is known of a job when its files are checked. */
export interface JobFacts<O = Options> {
  readonly options: O;
  /** Null for an adopted job whose input is unknown: comparisons with it are then skipped. */
  readonly input: InputText | null;
  readonly remoteId: string;
  /** The service is on a local network: a result that says that it is synthetic is accepted. */
  readonly mayBeSynthetic: boolean;
}

/** Why a result is wrong: a code in capitals, and a sentence. */
export interface ResultFault {
  readonly code: string;
  readonly message: string;
}

/** A file that an ended job offers. */
export interface Artefact<O = Options> {
  /** Its name in the item's folder, by content type if the service does not fix the format. */
  readonly file: string | ((contentType: string | null) => string);
  /**
   * `required`: without it the item fails. `usual`: its absence must repeat, and is then a warning. `optional`: that it is
   * absent is believed at once.
   */
  readonly presence: 'required' | 'usual' | 'optional';
  /** Of a finished job (default), of a failed one (its log), or of both. */
  readonly when?: 'finished' | 'failed' | 'ended';
  /** It comes in pages, and each is a file: `mapping.0001.json`. */
  readonly isPaged?: true;
  /**
   * Is it whole, and of this job and input? Asked before the file has its final name: a wrong one is kept under
   * `rejected/`. Without it the file is streamed to disk unread.
   */
  readonly check?: (
    bytes: Uint8Array,
    job: JobFacts<O>,
  ) => ResultFault | null | Promise<ResultFault | null>;
  /** What it says of the job, with the files inside it: what computed the result, and when. */
  readonly describe?: (
    text: string,
    inner: readonly InnerFile[],
  ) => {
    readonly engine?: string | null;
    readonly timing?: Timing | null;
  };
}

/** Texts of the files of a result, by file name or its ending: the first, or all pages. */
export interface ResultTexts {
  readonly get: (name: string) => string | null;
  readonly pages: (name: string) => readonly string[];
}

export type Cell = string | number | boolean | null;

/** Rows of a table column by column: a value for each row, or one for all rows. A column that is not named is empty. */
export type Cells = Readonly<Record<string, Cell | readonly Cell[]>>;

export interface TableColumn {
  /** `integer`: of 32 bits. `number`: a double. */
  readonly type: 'text' | 'integer' | 'number' | 'boolean';
  /** In a sentence, for the data dictionary. */
  readonly meaning?: string;
}

/** Columns of one type. */
export function defineColumns(
  type: TableColumn['type'],
  ...names: readonly string[]
): Readonly<Record<string, TableColumn>> {
  return Object.fromEntries(names.map((name) => [name, { type }]));
}

/** Null if it does not fit into a column of integers. */
export function toInteger(value: unknown): number | null {
  return typeof value === 'number' && (value | 0) === value ? value : null;
}

/** The table of results in `tables/`: a row per item, or several, as per residue. */
export interface ResultTable<O, R> {
  /** Its name without ending. */
  readonly name: string;
  /** What its rows are, for the report: `residues of sequences`. */
  readonly words: string;
  /** In order, after `id`; the engine and the user's own columns follow. */
  readonly columns: Readonly<Record<string, TableColumn>>;
  readonly rows: (result: R, item: { readonly options: O }) => readonly Cells[];
  /** Each item has one row: the measures have no table of their own. */
  readonly isByItem?: true;
}

/** How far values above a bound can be trusted. */
export interface Verdict {
  readonly above: number;
  readonly sign: 'good' | 'fair' | 'bad';
  readonly words: string;
}

/** A number that characterises a whole result, for sorting, filtering and plotting. */
export interface Measure<R> {
  /** A few words, as a column title. */
  readonly title: string;
  /** `Da`, `e`, `D`, `%`; empty if there is none. */
  readonly unit: string;
  /** What it is and how it is computed, in a sentence. */
  readonly meaning: string;
  /** Decimal places that are shown and stored. */
  readonly decimals: number;
  /** Whether it is one of the most important measures of its kind. */
  readonly isMain: boolean;
  /** Its column in the table of measures, or in that of results if the kind has no other; default: its key. */
  readonly column?: string;
  /** What a value says, from the highest bound: the first that it exceeds. */
  readonly verdicts?: readonly Verdict[];
  readonly of: (result: R) => number | null;
}

/**
 * Values of a result that the same engine computes again for the same input at another installation: by them, two lanes
 * are compared.
 */
// A result concerns only its own kind.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface Series<R = any> {
  readonly title: string;
  /** How far two values may differ; null of a result whose values depend on chance. */
  readonly tolerance: number | ((result: R) => number | null);
  /** One for each residue or atom, or a single one; null of a result without them. */
  readonly of: (result: R) => readonly SeriesValue[] | null;
}

/** Texts are equal, or differ by 1. */
export type SeriesValue = number | string | null;

/** What an item's record says, for those who read its result. */
export interface ResultItem<O = Options> {
  readonly options: O;
  /** Id of a record in the results → the header that the user wrote, if the two differ. */
  readonly names: Readonly<Record<string, string>> | undefined;
  /** If the job was that of another row: the ids of both, which are the names of sequences without a header. */
  readonly sharedBy?: { readonly leader: string; readonly own: string };
}

/** What the structural formula of an item is drawn from. */
// The reading concerns only the kind itself.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface Formula<R = any> {
  /** A SMILES or a connection table; null if the input does not have bond orders and charges. */
  readonly ofInput: (input: InputText) => string | null;
  readonly ofResult: (result: R) => {
    readonly molfile: string;
    readonly hasBondOrders: boolean;
    /** The sum of the formal charges that the input must have to be drawn. */
    readonly netCharge: number;
  };
}

/** A file inside an artefact. */
export interface InnerFile {
  readonly name: string;
  readonly text: string;
  /** Its result set; default: the first. Further ones have a folder each. */
  readonly set?: number;
  /** Of a failed job: it belongs to a result that is not complete, and is kept under `rejected/`. */
  readonly isRejected?: true;
}

export interface KindExample {
  readonly text: string;
  /** Of a file; without it, the text is a cell of the kind's own column. */
  readonly extension?: string;
  /** Cells of its option columns; default: empty. */
  readonly options?: Readonly<Record<string, string>>;
}

/** What is stored of a result of a plugin's kind: it is shown without the plugin (stored-reading.ts). */
export interface StoredReading {
  readonly measures: Readonly<Record<string, number | null>>;
  readonly rows: readonly Cells[];
  readonly summary: string;
}

/** What became of the result of a job. */
export type Judged = { readonly fault: ResultFault } | { readonly reading: StoredReading };

/** @param texts by artefact; several are pages */
export type Judge = (texts: Readonly<Record<string, readonly string[]>>, job: JobFacts) => Judged;

export interface KindDefinition<
  N extends string = string,
  C extends OptionColumns = OptionColumns,
  // A reading concerns only its own kind.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  R = any,
> {
  /** `[a-z][a-z0-9-]*`; in manifests, tables and messages. */
  readonly name: N;
  readonly words: { readonly one: string; readonly many: string };
  /** Increased when the same input and options mean another result: part of what rows share jobs by. Default: 1. */
  readonly version?: number;
  /** The folder of its items in the output tree. */
  readonly folder: string;
  readonly input: InputReader<ValuesOf<C>>;
  /** By column, in the order of their values in the options: digests of jobs depend on it. */
  readonly options: C;
  /** null: only rows with equal options share a job. */
  readonly share: Share<ValuesOf<C>> | null;
  /** A result shows all options that it was computed with, so that an adopted one may serve other rows. */
  readonly showsOptions?: true;
  /** The first one is the result itself. */
  readonly artefacts: Readonly<Record<string, Artefact<ValuesOf<C>>>>;
  /** Whether the files belong together and to the job; asked when all are there, with those that the job has. */
  readonly compare?: (
    texts: Readonly<Partial<Record<string, string>>>,
    job: { readonly remoteId: string },
  ) => ResultFault | null;
  /** Files inside an artefact; of one that is wrong, what is there. */
  readonly unfold?: (
    artefact: string,
    bytes: Uint8Array,
    options: ValuesOf<C>,
  ) => readonly InnerFile[];
  /** The same for a failed job: its log, and what there is of a result. */
  readonly unfoldFailed?: (artefact: string, bytes: Uint8Array) => readonly InnerFile[];
  /** File names, or their endings, that a result is read from. */
  readonly reads: readonly string[];
  /** Null if they are not in the expected form. */
  readonly readResult: (texts: ResultTexts, item: ResultItem<ValuesOf<C>>) => R | null;
  /** Of a plugin's kind: reads and checks a result when all its files are there, and says what is stored of it. */
  readonly judge?: Judge;
  /** By key, in table order; a key is unique across all kinds. */
  readonly measures: Readonly<Record<string, Measure<R>>>;
  readonly series?: Readonly<Record<string, Series<R>>>;
  readonly table: ResultTable<ValuesOf<C>, R>;
  /** The table with one row per item, if `table` has several. */
  readonly measuresTable: string | null;
  /** Short enough for a table cell. */
  readonly summary: (result: R) => string;
  /** For a page of the report that draws such results; without it, the page shows measures, table and files. */
  readonly pack?: (result: R) => PackedResult;
  /** Structural formulas, of a kind whose items are molecules. */
  readonly formula?: Formula<R>;
  /** Inputs that are accepted: a service that takes the kind is tried with the first one (`doctor --service`). */
  readonly examples?: readonly KindExample[];
  /** Of one job: run time in seconds on one core, and bytes of all files in the output tree. Medians, for plans. */
  readonly estimate: { readonly seconds: number; readonly bytes: number };
}

export function defineKind<const N extends string, const C extends OptionColumns, R>(
  kind: KindDefinition<N, C, R>,
): KindDefinition<N, C, R> {
  return kind;
}

interface Named {
  /** The name in the program: `netCharge` for the column `net_charge`. */
  readonly key: string;
  readonly description: string;
  /** Names of the column in other programs. */
  readonly synonyms?: readonly string[];
  /** What is wrong with an invalid value, if the column has words of its own; `nearest`: what may be meant. */
  readonly refuse?: (value: string, nearest: string | null) => Finding;
}

export type OptionColumn = Named &
  (
    | {
        readonly type: 'choice';
        readonly allowed: readonly string[];
        readonly default: string;
        /** Misspellings that are seen in the wild → what is meant, and what is said about it. */
        readonly misspelt?: Readonly<
          Record<string, { readonly meant: string; readonly finding: Finding }>
        >;
      }
    | {
        readonly type: 'list';
        readonly allowed: readonly string[];
        readonly default: readonly string[];
        /** Other names of an allowed word, for a suggestion. */
        readonly aliases?: Readonly<Record<string, string>>;
      }
    /** null: an empty cell. */
    | { readonly type: 'integer' }
    | { readonly type: 'flag'; readonly default: boolean }
    | { readonly type: 'text'; readonly default: string }
  );

export type OptionColumns = Readonly<Record<string, OptionColumn>>;

type ValueOf<C> = C extends { readonly type: 'choice'; readonly allowed: readonly (infer W)[] }
  ? W
  : C extends { readonly type: 'list'; readonly allowed: readonly (infer W)[] }
    ? readonly W[]
    : C extends { readonly type: 'integer' }
      ? number | null
      : C extends { readonly type: 'flag' }
        ? boolean
        : C extends { readonly type: 'text' }
          ? string
          : OptionValue;

/** The options of an item of the kind, by the keys of its columns. */
export type ValuesOf<C extends OptionColumns> = { readonly kind: string } & {
  readonly [N in keyof C as C[N]['key']]: ValueOf<C[N]>;
};

/** The schema of the stored value. */
export function createSchema(column: OptionColumn): z.ZodType {
  switch (column.type) {
    case 'choice':
      return z.enum(column.allowed as [string, ...string[]]);
    case 'list':
      return z.array(z.enum(column.allowed as [string, ...string[]])).min(1);
    case 'integer':
      return z.int().nullable();
    case 'flag':
      return z.boolean();
    case 'text':
      return z.string();
  }
}

/**
 * What is wrong with a row or its input, and what to do about it. The manifest knows the place: a finding names a cell, with
 * the value as the user wrote it, or a line only if it is not that of the input.
 */
export type Finding = Pick<Problem, 'code' | 'severity' | 'message' | 'remedy'> & Where;

type Where = Partial<Pick<Problem, 'column' | 'value' | 'line'>>;

function createFinding(severity: Severity) {
  return (code: string, message: string, remedy: string, where: Where = {}): Finding => {
    return { code, severity, message, remedy, ...where };
  };
}

/** A finding that refuses its row. */
export const createError = createFinding('error');
/** A finding that is told, and refuses nothing. */
export const createWarning = createFinding('warning');

/** What is read of an input: the same for every kind. */
export interface Reading {
  readonly findings: readonly Finding[];
  /** The text to send; null if the input is invalid for its kind. */
  readonly input: InputText | null;
  /** See `Item.canonical`; meaningless if a finding is an error. */
  readonly canonical: string;
}

/** By key; null if the result does not have it. */
export type MeasureValues = Readonly<Record<string, number | null>>;

/** The values of a result's measures, rounded to the decimal places of each. */
export function measure(
  { measures }: Pick<KindDefinition, 'measures'>,
  result: unknown,
): MeasureValues {
  return Object.fromEntries(
    Object.entries(measures).map(([key, one]) => [key, roundTo(one.of(result), one.decimals)]),
  );
}

function roundTo(value: number | null, decimals: number): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  // No negative zero, which a table would show with its sign.
  return Number(value.toFixed(decimals)) || 0;
}
