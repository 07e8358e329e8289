/** The parts of an entry in the tables of errors. */
import type { ExitName } from '../exit.ts';

type Template<F> = string | ((facts: F) => string);

/** What an error says: both texts are made from its facts. */
export interface Wording<F> {
  /** What happened. */
  readonly message: Template<F>;
  /** What the user can do. */
  readonly remedy: Template<F>;
}

/** States the type of the facts once for both texts. */
export function wording(message: string, remedy: string): Wording<object>;
export function wording<F>(message: Template<F>, remedy: Template<F>): Wording<F>;
export function wording<F>(message: Template<F>, remedy: Template<F>): Wording<F> {
  return { message, remedy };
}

/** The texts of a code. */
export interface ErrorTexts {
  /** Absent if the text is made where plain JavaScript throws it, or if a check reports it without an error. */
  readonly text?: Wording<never>;
  /** Instead of `text`, for a code with several causes: the fact `case` selects one. */
  readonly texts?: Readonly<Record<string, Wording<never>>>;
}

/** An error of commands and of the library; a row of a table in the documentation (`node scripts/error-tables.ts`). */
export interface ErrorEntry extends ErrorTexts {
  /** Exit of the command that fails with such an error. */
  readonly exit: ExitName;
  /** For pages with a separate column for it: what happened; Markdown. */
  readonly meaning?: string;
  /** What to do, or what is wrong if that makes it obvious; Markdown, for the documentation. */
  readonly advice: string;
}

export type ErrorTable = Readonly<Record<string, ErrorEntry>>;

type FactsIn<W> = W extends Wording<infer F> ? F : never;

/** The facts for the texts of an entry. */
export type FactsOf<E> = E extends { readonly text: infer W }
  ? FactsIn<W>
  : E extends { readonly texts: infer T }
    ? { [K in keyof T]: { readonly case: K } & FactsIn<T[K]> }[keyof T]
    : never;
