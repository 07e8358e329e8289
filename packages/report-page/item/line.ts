/** Values along a chain as a line of a chart. */

export type Values = readonly (number | null)[];

/** One line of a chart, over the visible part of the chain. */
export interface Line {
  /** The payload's key. */
  readonly key: string;
  /** One per position; null: a gap in the line. */
  readonly values: Values;
  /** Drawn behind the line, for alignments: the quartiles and the whiskers. */
  readonly spread?: Spread | undefined;
}

export interface Spread {
  readonly quartiles: readonly [low: Values, high: Values];
  readonly whiskers: readonly [low: Values, high: Values];
}

/** Fractions for the same residues, best read together. */
const SECONDARY = ['helix', 'sheet', 'coil'];

/** Helix, sheet and coil in one chart, at the position of the first; every other track alone. */
export function together(all: readonly Line[]): readonly (readonly Line[])[] {
  const secondary = all.filter(({ key }) => SECONDARY.includes(key));
  return all.flatMap((line) => {
    if (!secondary.includes(line)) return [[line]];
    return line === secondary[0] ? [secondary] : [];
  });
}
