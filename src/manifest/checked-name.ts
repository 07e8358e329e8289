/**
 * The rules for campaign names. Every command loads this file to read its arguments, so the default name, which needs
 * the formats of all inputs, is in another one.
 */
import { codedError } from '../domain/errors.ts';
import { NAME } from './name-grammar.ts';

/** Checks a name given by the user. Throws NAME_INVALID, exit code 2. */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw codedError('NAME_INVALID', { name });
}
