/** Option columns of a kind: what their cells may say, and the form in which options are stored. */
import { z } from 'zod';
import type { OptionValue } from '../domain/item.ts';

interface Named {
  /** The name in the program: `netCharge` for the column `net_charge`. */
  readonly key: string;
  readonly description: string;
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
