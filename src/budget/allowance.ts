/**
 * How many requests of a campaign may wait in the budget. Its state is carried through continue-as-new in one payload of
 * at most 2 MB. So rows wait in their campaign, which requests a few slots in advance, and more when the budget notifies
 * it of those that were granted.
 */
import type { Budget, Grant } from './state.ts';

/** The least that a campaign may request, also with hundreds of campaigns. */
export const LEAST_ASKED = 20;
/**
 * What a campaign requests before the first notification: the usual limit. With 20, the jobs of the first window after
 * those were accepted 0.8 s later, because the notification and its answer came between.
 */
export const FIRST_ASKED = 100;
/** Of all campaigns together; a request takes about 300 bytes. */
const MOST_WAITING = 4_000;
/** What continue-as-new can carry. */
const MOST_CARRIED = 5_000;
/** Of one campaign: some seconds of submissions at the speed of a worker, and twice the usual limit. */
const MOST_OF_ONE = 200;

/** What a campaign is notified of: its requests that were taken out of the queue, and how many it may have waiting. */
export interface Taken {
  readonly campaign: string;
  /** Ids of items. */
  readonly ids: readonly string[];
  readonly ahead: number;
}

/** The requests that one campaign may have waiting now, for one credential. */
export function allowance({ queue }: Budget): number {
  const share = Math.floor(MOST_WAITING / Math.max(1, queue.lanes.length));
  return Math.min(MOST_OF_ONE, Math.max(LEAST_ASKED, share));
}

/** To be reported to its campaign later. */
export function noteTaken(state: Budget, { request }: Grant): void {
  (state.taken[request.campaign] ??= []).push(request.job.id);
}

/**
 * The grants to report now, which then count as reported: for campaigns with half of their requests granted. A message
 * for every request would cost as much as its submission. A campaign without further rows has nothing to request: it is
 * notified of the last of its requests, together with all before.
 */
export function takeNotices(state: Budget): Taken[] {
  const { taken, queue } = state;
  const ahead = allowance(state);
  const notices: Taken[] = [];
  for (const [campaign, ids] of Object.entries(taken)) {
    const lanes = queue.lanes.filter((lane) => lane.campaign === campaign);
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting.length, 0);
    const isLast = lanes.every(({ behind }) => behind === 0);
    if (waiting > (isLast ? 0 : ahead / 2)) continue;
    notices.push({ campaign, ids, ahead });
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
    delete taken[campaign];
  }
  return notices;
}

/**
 * Drops requests from the ends of the longest lanes until the queue fits into one payload. Their items still wait, and
 * their campaign requests slots for them again within ten minutes (src/workflows/campaign.ts).
 */
export function boundQueue({ queue }: Budget, most = MOST_CARRIED): void {
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
