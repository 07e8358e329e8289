/** The size of a sample, and its items. Pure. */
import { hash } from 'node:crypto';
import { codedError, type HundredfoldError } from '../domain/errors.ts';

/** `1%` of the items, or `20` of them. */
export type Share = { readonly percent: number } | { readonly count: number };

/** @throws HundredfoldError `RECOMPUTE_SHARE` */
export function parseShare(text: string): Share {
  const [, digits = '', sign] = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text) ?? [];
  const number = Number(digits);
  const isPercent = sign === '%';
  const fits = isPercent ? number <= 100 : Number.isInteger(number);
  if (digits === '' || number === 0 || !fits) throw refused(text);
  return isPercent ? { percent: number } : { count: number };
}

/** At least one. */
export function sizeOf(share: Share, of: number): number {
  const wanted = 'count' in share ? share.count : Math.ceil((of * share.percent) / 100);
  return Math.min(of, Math.max(1, wanted));
}

/** `size` of the names, chosen at random by the seed: the same seed gives the same sample. In the order of `names`. */
export function sampleOf(names: readonly string[], size: number, seed: string): readonly string[] {
  const drawn = names.map((name) => ({ name, draw: hash('sha256', `${seed}\n${name}`) }));
  drawn.sort((one, other) => (one.draw < other.draw ? -1 : 1));
  const chosen = new Set(drawn.slice(0, size).map(({ name }) => name));
  return names.filter((name) => chosen.has(name));
}

function refused(text: string): HundredfoldError {
  return codedError('RECOMPUTE_SHARE', { text });
}
