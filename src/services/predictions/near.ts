/** Compares the files of one prediction, which may be rounded and ordered differently. */

/** The engine writes three decimals into CSV files; a service may round more. */
const TOLERANCE = { absolute: 0.011, relative: 0.011 } as const;

/** True for non-numbers: NaN carries no information. */
export function isNear(one: number, other: number): boolean {
  const distance = Math.abs(one - other);
  return !(distance > TOLERANCE.absolute + TOLERANCE.relative * Math.abs(other));
}

interface Comparison<Got, Wanted> {
  readonly isNamed: (got: Got, wanted: Wanted) => boolean;
  /** The disagreement, in a sentence, or null. */
  readonly compare: (got: Got, wanted: Wanted) => string | null;
  /** The sentence for an entry that agrees with none. */
  readonly lonely: (got: Got) => string;
}

/** Compares each entry with the one of the same name; if a file uses other names, with any unused entry that agrees. */
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
