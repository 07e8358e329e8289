/** The options that several commands share. */
import type { Argument, Option } from 'commander';
import type { LocalName } from '../../host/local-settings.ts';

export interface CommonFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** For commands that can start the services of this project. */
export interface ServiceFlags extends CommonFlags {
  readonly services?: LocalName;
}

/** Choices that are shown and completed; plugins have others, so a command checks them (`checkChoice`). */
export function suggest<T extends Argument | Option>(one: T, names: readonly string[]): T {
  return Object.assign(one, { argChoices: [...names] });
}
