/**
 * How many requests a campaign may have waiting here. What a budget keeps travels through continue-as-new in one
 * payload, and a payload has a bound (2 MB): so the rows of a campaign wait in the campaign, which asks for a few slots
 * ahead of its need, and is notified of those that were taken, so that it can ask for more.
 */
import type { BudgetState, Grant } from './state.ts';

/** What a campaign asks for before it has heard from its budget: enough to begin with, also for hundreds of campaigns. */
export const FIRST_ASKED = 20;
/** Of all campaigns together; a request takes about 300 bytes. */
const MOST_WAITING = 4_000;
/** Of what travels through continue-as-new: campaigns of an earlier version asked for a thousand rows each. */
const MOST_CARRIED = 5_000;
/** Of one campaign: some seconds of submissions at the speed of a worker, and twice the usual limit. */
const MOST_OF_ONE = 200;

/** What a campaign is notified of: its requests that were taken out of the queue, and how many it may have waiting. */
interface Taken {
  readonly campaign: string;
  /** Ids of items. */
  readonly ids: readonly string[];
  readonly ahead: number;
}

/** The requests that one campaign may have waiting now, for one credential. */
export function allowance({ queue }: BudgetState): number {
  const share = Math.floor(MOST_WAITING / Math.max(1, queue.lanes.length));
  return Math.min(MOST_OF_ONE, Math.max(FIRST_ASKED, share));
}

/** To be reported to its campaign later. */
export function noteTaken(state: BudgetState, { request }: Grant): void {
  const taken = (state.taken ??= {});
  (taken[request.campaign] ??= []).push(request.job.id);
}

/**
 * What is to be reported now, and then counts as reported: for campaigns of whose requests half are taken. A message
 * for every request would cost as much as its submission.
 */
export function takeNotices(state: BudgetState): Taken[] {
  const { taken = {}, queue } = state;
  const ahead = allowance(state);
  const notices: Taken[] = [];
  for (const [campaign, ids] of Object.entries(taken)) {
    const lanes = queue.lanes.filter((lane) => lane.campaign === campaign);
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting.length, 0);
    if (waiting > ahead / 2) continue;
    notices.push({ campaign, ids, ahead });
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
    delete taken[campaign];
  }
  return notices;
}

/**
 * Drops requests from the ends of the longest lanes until the queue fits into one payload. Their items still wait, and
 * the watchdog makes them request a slot again (src/watchdog/silent-items.ts).
 */
export function boundQueue({ queue }: BudgetState, most = MOST_CARRIED): void {
  const sizes = queue.lanes.map(({ waiting }) => waiting.length);
  const longest = largestCut(sizes, most);
  for (const lane of queue.lanes) lane.waiting.splice(longest);
}

/** The largest length to which lanes can be cut so that together they hold at most `most`. */
function largestCut(sizes: readonly number[], most: number): number {
  let left = most;
  let lanes = sizes.length;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    const cut = Math.floor(left / lanes);
    if (size > cut) return cut;
    left -= size;
    lanes -= 1;
  }
  return Number.POSITIVE_INFINITY;
}
