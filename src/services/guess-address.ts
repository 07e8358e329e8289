/** Guesses the correct address of a service from common mistakes in the configured one. Pure. */
import { API_PATH, type Variant } from './predictions/earlier.ts';
import type { ProbedService } from './probe.ts';

interface Guess {
  readonly url: URL;
  readonly variant: Variant;
}

/** Maximum number of addresses to try: each costs up to three requests. */
const MOST = 5;

/** The likely ones first, all of the same origin; never `base` itself in the same variant. */
export function guesses(base: URL, { service, variant }: ProbedService): readonly Guess[] {
  const path = base.pathname.replace(/\/+$/, '');
  const paths = service === 'molecules' ? ofMolecules(path) : ofPredictions(path);
  const other: Variant = variant === 'current' ? 'earlier' : 'current';
  const all = paths.map((pathname) => ({ pathname, variant }));
  const variants = service === 'predictions' ? [{ pathname: path, variant: other }] : [];
  const found = new Map<string, Guess>();
  for (const guess of [...all, ...variants]) {
    if (guess.pathname === path && guess.variant === variant) continue;
    const url = new URL(base);
    url.pathname = guess.pathname;
    found.set(`${guess.variant} ${guess.pathname}`, { url, variant: guess.variant });
  }
  return [...found.values()].slice(0, MOST);
}

/** `/acpype` is missing or doubled, or the path of an endpoint was copied too. */
function ofMolecules(path: string): string[] {
  const bare = path.replace(/\/api(\/.*)?$/, '');
  const single = bare.replace(/(\/acpype)+$/, '/acpype');
  return [bare, single, `${bare}/acpype`, '/acpype', ''];
}

/** The path of the API was copied too, or it is the address of the other service. */
function ofPredictions(path: string): string[] {
  const api = Object.values(API_PATH).map((names) => names.join('/'));
  const bare = path.replace(new RegExp(`(/(${api.join('|')}))+(/.*)?$`), '');
  const half = bare.replace(/\/(online[_-]predictors|api)$/, '');
  return [bare, half, half.replace(/\/acpype$/, ''), ''];
}
