/**
 * Decisions a little ahead of time. From a timer of the server to the first byte of a POST a second may pass, and an
 * idle slot is lost. So slots are given out shortly before they are free, with the time from which they may be used;
 * the submissions wait for it where they are sent from.
 *
 * `decide` is called with that time. Until then the state counts the slot twice, as still charged and as taken, which
 * grants less and never more.
 *
 * With 20 slots per 10 s the fifth burst started 0.43 s after its bound instead of 0.85 s, on a busy machine. The
 * price: a pause or a lowered limit does not reach these submissions, and a worker that dies then leaves more of them
 * unsure.
 */
import { decide, type Budget, type Decision, type Grant } from './budget.ts';

/** A timer may fire a second late: the server looks that far ahead for the timers of its next round. In ms. */
const LONGEST_LEAD_MS = 1_500;
/** What is given out cannot be taken back by a pause or a change of the limit: of a short window, a small part only. */
const SHARE_OF_WINDOW = 0.1;

interface DecisionAhead extends Decision {
  /** What `wakeAt` is a little ahead of: when a slot is free, or a block over (ms). */
  readonly opensAt: number | null;
}

/** Like `decide`, for `now` and the time just after it. Each grant says from when on it holds. */
export function decideAhead(state: Budget, now: number): DecisionAhead {
  const lead = leadMs(state);
  const grants: Grant[] = [];
  for (let at = now; ;) {
    const decision = decide(state, at);
    grants.push(...decision.grants);
    const { wakeAt } = decision;
    if (wakeAt === null) return { grants, wakeAt, opensAt: null };
    if (wakeAt > now + lead) return { grants, wakeAt: wakeAt - lead, opensAt: wakeAt };
    at = wakeAt;
  }
}

function leadMs({ policy: { windows } }: Budget): number {
  return Math.min(LONGEST_LEAD_MS, ...windows.map(({ windowMs }) => windowMs * SHARE_OF_WINDOW));
}
