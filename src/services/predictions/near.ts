/** Comparing the files of one prediction, which round and order in ways of their own. */

/** The engine writes three decimals into CSV files; a service may round more. */
const TOLERANCE = { absolute: 0.011, relative: 0.011 } as const;

/** True for what is no number: NaN says nothing. */
export function isNear(one: number, other: number): boolean {
  const distance = Math.abs(one - other);
  return !(distance > TOLERANCE.absolute + TOLERANCE.relative * Math.abs(other));
}

interface Comparison<Got, Wanted> {
  readonly isNamed: (got: Got, wanted: Wanted) => boolean;
  /** What disagrees, in a sentence, or null. */
  readonly compare: (got: Got, wanted: Wanted) => string | null;
  /** The sentence for one that agrees with none. */
  readonly lonely: (got: Got) => string;
}

/** Each with the one of its name; where a file has names of its own, with any that agrees and is not taken. */
export function firstDisagreement<Got, Wanted>(
  got: readonly Got[],
  wanted: readonly Wanted[],
  { isNamed, compare, lonely }: Comparison<Got, Wanted>,
): string | null {
  const open = [...wanted];
  for (const one of got) {
    const named = open.findIndex((other) => isNamed(one, other));
    const place = named === -1 ? open.findIndex((other) => compare(one, other) === null) : named;
    const match = open[place];
    if (match === undefined) return lonely(one);
    const found = named === -1 ? null : compare(one, match);
    if (found !== null) return found;
    open.splice(place, 1);
  }
  return null;
}
