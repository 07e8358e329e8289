/** A point of true time, in ms, and how far our clock had been set forward by then; steps back are not counted. */
export interface Moment {
  readonly time: number;
  readonly forward: number;
}

/**
 * The longest time (ms) that our clock can show between two moments. Without steps of the clock it is the elapsed time.
 * A step forward cannot be distinguished from elapsed time with one clock, so no more can be promised.
 */
export function passed(from: Moment, to: Moment): number {
  return to.time - from.time + to.forward - from.forward;
}
