/**
 * What a kind of input is: its words, how an input is recognised and read, its option columns, and which rows may share
 * a job. The manifest, the plan and the output tree ask the kind and never compare with its name.
 */
import type { Kind, Options } from '../domain/item.ts';
import type { ArtefactName } from '../domain/outcomes.ts';
import type { Reading } from './finding.ts';
import type { OptionColumn } from './columns.ts';

export type OptionsOf<N extends Kind> = Extract<Options, { readonly kind: N }>;

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

export interface InputReader<N extends Kind> {
  /** The column that may contain the input instead of `file`; `synonyms`: its names in other programs. */
  readonly column: { readonly name: string; readonly synonyms: readonly string[] } | null;
  readonly extensions: readonly string[];
  /** One item per record if a file with this extension is itself the manifest. */
  readonly records?: Readonly<Record<string, 'lines' | 'fasta' | 'sdf'>>;
  /** A file is read by its extension: any other is refused, also if the row names the kind. */
  readonly isByExtension?: true;
  /** For an extension that other kinds have too: whether it is this kind, or why that is unclear. */
  readonly recognise?: (text: string) => boolean | string;
  /** Checks all that can be checked before a job is spent. */
  readonly read: (source: InputSource, options: OptionsOf<N>) => Reading | Promise<Reading>;
}

/** Rows of equal input that differ in some options, and still need one job. */
interface Share<N extends Kind> {
  /** Whether a job with these options provides everything requested. */
  readonly covers: (job: OptionsOf<N>, wanted: OptionsOf<N>) => boolean;
  /** The options of one job that serves both. */
  readonly combine: (one: OptionsOf<N>, other: OptionsOf<N>) => OptionsOf<N>;
}

export interface KindDefinition<N extends Kind = Kind> {
  readonly name: N;
  readonly words: { readonly one: string; readonly many: string };
  /** The table of results, in `tables/`. */
  readonly table: string;
  /** The table with one row per item, if `table` has one per position; null if it does not. */
  readonly measuresTable: string | null;
  readonly input: InputReader<N>;
  /** By column, in the order of their values in the options: digests of jobs depend on it. */
  readonly options: Readonly<Record<string, OptionColumn>>;
  /** null: only rows with equal options share a job. */
  readonly share: Share<N> | null;
  /** Files that a job usually has beside its result, and that are compared with it or name its job. */
  readonly usualFiles: readonly ArtefactName[];
  /** Files that a job usually does not have: that one is absent is believed at once. */
  readonly rareFiles: readonly ArtefactName[];
  /** Of one job: run time in seconds on one core, and bytes of all files in the output tree. Medians, for plans. */
  readonly estimate: { readonly seconds: number; readonly bytes: number };
}

export function defineKind<const N extends Kind>(kind: KindDefinition<N>): KindDefinition<N> {
  return kind;
}
