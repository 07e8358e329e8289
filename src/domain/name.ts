/**
 * Names of campaigns and ids of items: valid as a folder on every system, without blanks and signs of a shell, colons
 * (workflow ids), quotes (queries) or control codes. Every command loads this file to read its arguments.
 */
import { HundredfoldError } from './errors.ts';

/** An id also becomes part of names at services and engines. */
export const ID = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;

/** Of a campaign, or of an id. */
export const MAX_NAME = 64;

/** The letters of any script, in composed form: some disks and keyboards give them decomposed. */
export const CAMPAIGN_NAME = /^(?!\.)[\p{L}\p{M}\p{N}._-]{1,64}$/u;
const NO_PART_OF_A_NAME = /[^\p{L}\p{M}\p{N}._-]+/gu;

/** Checks the name of a campaign that the user gave. Throws NAME_INVALID, exit code 2. */
export function checkName(name: string): string {
  const composed = name.normalize('NFC');
  if (CAMPAIGN_NAME.test(composed)) return composed;
  throw new HundredfoldError(
    'NAME_INVALID',
    `${JSON.stringify(name)} cannot be the name of a campaign`,
    'Use 1 to 64 letters, digits, dots, hyphens and underscores, with no leading dot.',
  );
}

/** The name that a text becomes; empty if nothing remains. Accents of Latin letters are left out. */
export function nameFrom(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .replace(NO_PART_OF_A_NAME, '-')
    .replace(/^[.-]+|-+$/g, '');
  return [...plain].slice(0, MAX_NAME).join('');
}

const GREEK = [
  ...['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa'],
  ...['lambda', 'mu', 'nu', 'xi', 'omicron', 'pi', 'rho', 'sigma', 'sigma', 'tau', 'upsilon'],
  ...['phi', 'chi', 'psi', 'omega'],
];
const LATIN = new Map(
  ['ß ss', 'æ ae', 'œ oe', 'ø o', 'ł l', 'đ d', 'ð d', 'þ th', 'ı i'].map(
    (pair) => pair.split(' ') as [string, string],
  ),
);

/** For services and engines that take ASCII: without accents, and with the Greek letters of chemistry in words. */
export function toAscii(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\0-\x7f]/gu, (letter) => {
      const small = letter.toLowerCase();
      return GREEK[small.charCodeAt(0) - 0x3b1] ?? LATIN.get(small) ?? letter;
    });
}

/**
 * Whether this can be the identifier of a job at its service: `request_id` (predictions, 2.2), `hash_id` (molecules,
 * 2.2). It becomes part of paths there: no character in it may change the path. A plugin may give anything.
 */
export function isUsableId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w.~-]{1,200}$/.test(id) && !/^\.+$/.test(id);
}
