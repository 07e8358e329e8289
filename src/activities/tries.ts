/**
 * What a step of an activity knows of earlier tries, and keeps for the next one. The server keeps it with the
 * heartbeat, across our crashes. Steps that are an activity of their own share its tries; those of `finishJob` do not.
 */
import { Context } from '@temporalio/activity';
import { ageOf, type ServerClock } from './server-clock.ts';

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

/** Those of the running activity. */
export function ownTries<Left>(clock: ServerClock): Tries<Left> {
  const context = Context.current();
  return {
    attempt: context.info.attempt,
    ageMs: () => ageOf(clock, context.info),
    left: (context.info.heartbeatDetails as Left | null | undefined) ?? null,
    leave: (left) => context.heartbeat(left),
  };
}
