/** A point of true time, in ms, and how far our clock had been set forward by then; steps back are not counted. */
export interface Moment {
  readonly time: number;
  readonly forward: number;
}

/**
 * The longest (ms) that our clock can say has passed between two moments. Without steps of the clock it is what has
 * passed. Nothing that has one clock can tell a step forward from time that passes, so no more can be promised.
 */
export function passed(from: Moment, to: Moment): number {
  return to.time - from.time + to.forward - from.forward;
}
