/** Values along a chain as a line of a chart. */
export type Values = readonly (number | null)[];

/** One line of a chart, over the stretch that is drawn. */
export interface Line {
  /** The payload's key. */
  readonly key: string;
  /** One a place; null: a gap in the line. */
  readonly values: Values;
  /** Behind the line, of alignments: the quartiles and the whiskers. */
  readonly spread?: Spread | undefined;
}

export interface Spread {
  readonly quartiles: readonly [low: Values, high: Values];
  readonly whiskers: readonly [low: Values, high: Values];
}
