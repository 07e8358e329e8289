/** Option columns of a kind: what their cells may say, and the form in which options are stored. */
import { z } from 'zod';

interface Named {
  /** The name in the program: `netCharge` for the column `net_charge`. */
  readonly key: string;
  /** Names of the column in other programs. */
  readonly synonyms?: readonly string[];
  /** The code of the problem for an invalid value, if the column has one of its own. */
  readonly problem?: string;
}

export type OptionColumn = Named &
  (
    | {
        readonly type: 'choice';
        readonly allowed: readonly string[];
        readonly default: string;
        /** Misspellings that are seen in the wild → what is meant, and the code of the problem that says so. */
        readonly misspelt?: Readonly<
          Record<string, { readonly meant: string; readonly problem: string }>
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
  );

/** The schema of the stored value. */
export function schemaOf(column: OptionColumn): z.ZodType {
  switch (column.type) {
    case 'choice':
      return z.enum(column.allowed as [string, ...string[]]);
    case 'list':
      return z.array(z.enum(column.allowed as [string, ...string[]])).min(1);
    case 'integer':
      return z.int().nullable();
    case 'flag':
      return z.boolean();
  }
}
