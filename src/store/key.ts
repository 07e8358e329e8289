/**
 * Keys: the paths below a campaign, such as `molecules/aspirin/item.json`. They are built from external names (ids,
 * file names in a service's answer), so each one is checked: a valid key can only name a file inside the tree.
 */
import { type StoreError, storeError } from './store-error.ts';

/** Bytes: the limit of a name on every common file system, and of a whole key on S3. */
const MAX_SEGMENT_BYTES = 255;
const MAX_KEY_BYTES = 1024;

/** Prefix of a file while it is written. No key may begin like this. */
export const TEMPORARY_PREFIX = '.tmp-';

// C0 and C1 control codes, DEL, and the two line separators that break lists of names into lines.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Why a key is invalid, in words; null if it is valid. */
export function keyFault(key: string): string | null {
  if (key === '') return 'it is empty';
  if (!key.isWellFormed()) return 'it is not well-formed Unicode';
  if (CONTROL.test(key)) return 'it contains a control code';
  if (key.includes('\\')) return 'it contains a backslash';
  if (key.startsWith('/')) return 'it is an absolute path';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`;
  for (const segment of key.split('/')) {
    if (segment === '') return 'it has an empty part';
    if (segment === '.' || segment === '..') return `it has the part "${segment}"`;
    if (segment.startsWith(TEMPORARY_PREFIX)) {
      return `a part begins with "${TEMPORARY_PREFIX}", which is kept for unfinished files`;
    }
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      return `a part is longer than ${MAX_SEGMENT_BYTES} bytes`;
    }
  }
  return null;
}

export function badKey(key: string, fault: string): StoreError {
  return storeError('STORE_BAD_KEY', { case: 'name', key, fault });
}

/** The parts of a key. @throws StoreError `STORE_BAD_KEY` */
export function keySegments(key: string): readonly string[] {
  const fault = keyFault(key);
  if (fault !== null) throw badKey(key, fault);
  return key.split('/');
}
