/** All error codes, by family; a code that is not here does not compile. Codes of rows are in manifest/problems. */
import { EXIT } from '../exit.ts';
import type { ItemEndCode } from '../item-end-codes.ts';
import { ADOPT_ERRORS } from './adopt-errors.ts';
import { CAMPAIGN_ERRORS } from './campaign-errors.ts';
import { CONFIGURATION_ERRORS } from './configuration-errors.ts';
import { ENGINE_ERRORS } from './engine-errors.ts';
import type { ErrorEntry, ErrorTexts, FactsOf, Wording } from './error-entry.ts';
import { EXPORT_ERRORS } from './export-errors.ts';
import { HOST_ERRORS } from './host-errors.ts';
import { ITEM_ERRORS } from './item-errors.ts';
import { NOTIFY_ERRORS } from './notify-errors.ts';
import { SETUP_ERRORS } from './setup-errors.ts';
import { STORE_ERRORS } from './store-errors.ts';
import type { StoreWording } from './store-wording.ts';
import { TEMPORAL_ERRORS } from './temporal-errors.ts';
import { TLS_ERRORS } from './tls-errors.ts';
import { TRANSFER_ERRORS } from './transfer-errors.ts';
import { USAGE_ERRORS } from './usage-errors.ts';

export const ERRORS = {
  ...USAGE_ERRORS,
  ...CAMPAIGN_ERRORS,
  ...ADOPT_ERRORS,
  ...EXPORT_ERRORS,
  ...TRANSFER_ERRORS,
  ...CONFIGURATION_ERRORS,
  ...SETUP_ERRORS,
  ...TEMPORAL_ERRORS,
  ...TLS_ERRORS,
  ...HOST_ERRORS,
  ...ENGINE_ERRORS,
  ...STORE_ERRORS,
};

/** Everything that has texts. */
const TEXTS = { ...ERRORS, ...ITEM_ERRORS, ...NOTIFY_ERRORS };

type Texts = typeof TEXTS;

/** Codes of output trees. */
export type StoreCode = keyof typeof STORE_ERRORS;

/** Codes of failed notifications. */
export type NotifyCode = keyof typeof NOTIFY_ERRORS;

/** Code of an error. Items end with such a code, too, and notifications fail with one. */
export type ErrorCode = keyof typeof ERRORS | ItemEndCode | NotifyCode;

/** Codes whose texts are in the tables. */
export type WordedCode = {
  [C in keyof Texts]: Texts[C] extends { readonly text: unknown } | { readonly texts: unknown }
    ? C
    : never;
}[keyof Texts];

/** The facts for the texts of a code. */
export type ErrorFacts<C extends WordedCode> = FactsOf<Texts[C]>;

const ENTRIES: ReadonlyMap<string, ErrorEntry> = new Map(Object.entries(ERRORS));

/** Exit code of a command that fails with this error code. */
export function exitOf(code: ErrorCode): number {
  return EXIT[ENTRIES.get(code)?.exit ?? 'usage'];
}

/** The texts of a code; `case` of its facts selects one, if there are several. */
export function wordingOf<C extends WordedCode>(code: C, facts: ErrorFacts<C>): Wording<unknown> {
  const { text, texts = {} }: ErrorTexts = TEXTS[code];
  // The types of the two parameters guarantee that the texts and their facts belong together.
  const chosen = text ?? texts[(facts as { readonly case: string }).case];
  return chosen as Wording<unknown>;
}

/** Whether the same call can succeed later, once the remedy was applied. */
export function isRetryable<C extends StoreCode & WordedCode>(
  code: C,
  facts: ErrorFacts<C>,
): boolean {
  // All texts of STORE_ERRORS are made by the functions of store-wording.ts.
  return (wordingOf(code, facts) as StoreWording<unknown>).retryable;
}
