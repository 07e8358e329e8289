/** Names of campaigns and ids of items. Every command loads this file to read its arguments. */
import { codedError } from './errors.ts';

/** Valid as a folder on every system, without colons (workflow ids), quotes (queries) or control codes. */
export const NAME = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;

/** Checks a name given by the user. Throws NAME_INVALID, exit code 2. */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw codedError('NAME_INVALID', { name });
}
