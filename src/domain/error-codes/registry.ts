/** All error codes, by family; a code that is not here does not compile. Codes of rows are in manifest/problems. */
import { EXIT } from '../exit.ts';
import type { ItemEndCode } from '../item-end-codes.ts';
import { CONFIGURATION_ERRORS } from './configuration-errors.ts';
import { RUN_ERRORS } from './run-errors.ts';
import { STORE_ERRORS } from './store-errors.ts';
import { USAGE_ERRORS } from './usage-errors.ts';

/** Codes of output trees. */
export type StoreCode = (typeof STORE_ERRORS)[number]['codes'][number];

type CommandCode =
  | (typeof USAGE_ERRORS)[number]['codes'][number]
  | (typeof CONFIGURATION_ERRORS)[number]['codes'][number]
  | (typeof RUN_ERRORS)[number]['codes'][number];

/** Code of an error. Items end with such a code, too. */
export type ErrorCode = CommandCode | StoreCode | ItemEndCode;

const EXITS: ReadonlyMap<string, number> = new Map(
  [...USAGE_ERRORS, ...CONFIGURATION_ERRORS, ...RUN_ERRORS, ...STORE_ERRORS].flatMap(
    ({ codes, exit }) => codes.map((code) => [code, EXIT[exit]] as const),
  ),
);

/** Exit code of a command that fails with this error code. */
export function exitOf(code: ErrorCode): number {
  return EXITS.get(code) ?? EXIT.usage;
}
