/**
 * The codes of all manifest problems, with the facts for their messages. Problems of an input's content are in
 * `src/inputs/finding.ts`.
 */
import type { InputFacts } from '../../inputs/finding.ts';

type None = Readonly<Record<string, never>>;

export interface Facts extends InputFacts {
  MANIFEST_NOT_FOUND: None;
  MANIFEST_UNREADABLE: { readonly reason: string };
  MANIFEST_FOLDER_EMPTY: { readonly tables: readonly string[] };
  MANIFEST_FOLDER_AMBIGUOUS: { readonly names: readonly string[] };
  MANIFEST_FORMAT: { readonly extension: string };
  MANIFEST_REPEATED: None;
  MANIFEST_EMPTY: None;
  MANIFEST_TOO_LARGE: { readonly limitMegabytes: number };
  MANIFEST_PATTERN_EMPTY: None;
  MANIFEST_FOLDER_SKIPPED: { readonly count: number; readonly names: readonly string[] };
  MANIFEST_GZIP: { readonly reason: string };
  MANIFEST_GZIP_SWOLLEN: { readonly megabytes: number };
  MANIFEST_NOT_UTF8: { readonly encoding: string | null };
  MANIFEST_TRANSCODED: { readonly encoding: string };
  MANIFEST_SYNTAX: { readonly format: string; readonly reason: string };
  MANIFEST_COLUMNS_MISSING: { readonly found: readonly string[] };
  MANIFEST_COLUMNS_TOO_MANY: { readonly columns: number; readonly limit: number };
  MANIFEST_COLUMN_REPEATED: { readonly column: string };
  MANIFEST_COLUMN_TYPO: { readonly column: string; readonly suggestion: string };
  MANIFEST_ROWS_TOO_MANY: { readonly limit: number };
  MANIFEST_ROW_LONG: { readonly cells: number; readonly columns: number };
  MANIFEST_ROW_SHORT: { readonly cells: number; readonly columns: number };
  MANIFEST_ROW_QUOTES: None;
  MANIFEST_ROW_NOT_OBJECT: { readonly found: string };
  MANIFEST_VALUE_NESTED: { readonly column: string };
  MANIFEST_ROW_CHANGED: {
    readonly column: string;
    readonly was: string;
    readonly is: string;
    readonly place: string;
    readonly state: string;
  };
  MANIFEST_ID_INVALID: None;
  MANIFEST_ID_DUPLICATE: { readonly first: string };
  MANIFEST_ID_CASE: { readonly first: string };
  MANIFEST_KIND_UNKNOWN: { readonly suggestion: string | null };
  MANIFEST_KIND_UNCLEAR: { readonly reason: string };
  MANIFEST_INPUT_MISSING: { readonly kind: string | null };
  MANIFEST_REMOTE_ID_INVALID: None;
  MANIFEST_REMOTE_ID_DUPLICATE: { readonly first: string };
  MANIFEST_INPUT_REPEATED: { readonly columns: readonly string[] };
  MANIFEST_INPUT_OF_OTHER_KIND: { readonly column: string; readonly kind: string };
  MANIFEST_OPTION_UNUSED: { readonly column: string; readonly kind: string };
  MANIFEST_OPTION_INVALID: {
    readonly column: string;
    readonly allowed: readonly string[];
    readonly suggestion: string | null;
  };
  MANIFEST_CHARGE_METHOD_BBC: None;
  MANIFEST_NET_CHARGE_INVALID: None;
  MANIFEST_PREDICTOR_UNKNOWN: { readonly name: string; readonly suggestion: string | null };
  MANIFEST_EMAIL_INVALID: None;
  MANIFEST_FILE_OUTSIDE: None;
  MANIFEST_FILE_NOT_FOUND: None;
  MANIFEST_FILE_UNREADABLE: { readonly reason: string };
  MANIFEST_FILE_NOT_REGULAR: None;
  MANIFEST_FILE_EMPTY: None;
  MANIFEST_FILE_TOO_LARGE: { readonly bytes: number; readonly limitMegabytes: number };
  MANIFEST_FILE_NOT_UTF8: { readonly line: number };
  MANIFEST_FILE_TYPE: { readonly extension: string; readonly allowed: readonly string[] };
}

export type ProblemCode = keyof Facts;
