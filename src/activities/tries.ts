/**
 * What a step of `finishJob` knows of earlier tries, and keeps for the next one. The server keeps it with the heartbeat,
 * across our crashes.
 */
export interface Tries<Left> {
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** How long ago the step was first scheduled (ms), by the clock of the Temporal server. */
  ageMs(): number;
  /** From the previous try. */
  readonly left: Left | null;
  /** Replaces what the previous try kept. */
  leave(left: Left | null): void;
}
