/**
 * Whose turn it is. Each campaign waits in a lane of its own for each credential it uses; turns go round the
 * lanes in proportion to their weight (stride scheduling), so that a campaign of ten items is not stuck behind
 * one of ten thousand, and no lane with a weight above zero starves.
 */

/** One item that waits to be submitted. */
export interface Request {
  /** Workflow id of the item: unique, and where the answer goes. */
  readonly item: string;
  readonly campaign: string;
  readonly credential: string;
  /** Which submission of the item this asks for, from 0: an unsure one may be followed by another. */
  readonly attempt: number;
  /** Turns relative to other campaigns; 1 is usual, 2 gets twice as many. */
  readonly weight: number;
  /** Opaque to the budget: what the submit activity needs. */
  readonly job: JobReference;
}

/** Enough to find the job on disk and send it. */
export interface JobReference {
  readonly id: string;
  readonly kind: string;
  readonly generation: number;
  readonly store: string;
}

/** A request in a lane; `order` is its place in the order of asking, kept when it is put back. */
export interface Waiting extends Request {
  readonly order: number;
  /** When the service turned it away, the latest last; the longest outage fits in a few lines. */
  readonly turnedAway: readonly TurnedAway[];
}

export interface TurnedAway {
  /** ms */
  readonly at: number;
  readonly reason: 'rate-limited' | 'unavailable' | 'unreachable';
  readonly message: string;
}

const TURNED_AWAY_KEPT = 20;

export interface Queue {
  lanes: Lane[];
  /** Campaigns that are paused: theirs wait, whenever they were added. */
  paused: string[];
  nextOrder: number;
}

export interface Lane {
  readonly campaign: string;
  readonly credential: string;
  weight: number;
  /** Virtual time of the next turn: the lane with the least goes first. */
  pass: number;
  waiting: Waiting[];
}

export function newQueue(): Queue {
  return { lanes: [], paused: [], nextOrder: 0 };
}

/** Adds a request at the end of its lane. An item that already waits there is not added twice. */
export function enqueue(queue: Queue, request: Request): void {
  const lane = laneOf(queue, request);
  lane.weight = request.weight;
  if (lane.waiting.some(({ item }) => item === request.item)) return;
  lane.waiting.push({ ...request, order: queue.nextOrder, turnedAway: [] });
  queue.nextOrder += 1;
}

/** Puts a request back where it stood: it keeps its turn, and the lane is given back its own. */
export function putBack(queue: Queue, refused: Waiting, because: TurnedAway): void {
  const turnedAway = [...refused.turnedAway, because].slice(-TURNED_AWAY_KEPT);
  const request: Waiting = { ...refused, turnedAway };
  const lane = laneOf(queue, request);
  const behind = lane.waiting.findIndex(({ order }) => order > request.order);
  lane.waiting.splice(behind < 0 ? lane.waiting.length : behind, 0, request);
  lane.pass -= 1 / lane.weight;
}

/** Takes an item out of the queue; false when it does not wait. */
export function withdraw(queue: Queue, item: string): boolean {
  for (const lane of queue.lanes) {
    const at = lane.waiting.findIndex((request) => request.item === item);
    if (at >= 0) {
      lane.waiting.splice(at, 1);
      return true;
    }
  }
  return false;
}

export function pauseCampaign(queue: Queue, campaign: string, paused: boolean): void {
  queue.paused = queue.paused.filter((name) => name !== campaign);
  if (paused) queue.paused.push(campaign);
}

/** The lanes that have someone waiting and are not paused, the one whose turn it is first. */
export function inTurn(queue: Queue): Lane[] {
  return queue.lanes
    .filter((lane) => lane.waiting.length > 0 && !queue.paused.includes(lane.campaign))
    .sort((a, b) => a.pass - b.pass);
}

/** Takes the next request out of a lane and counts its turn. */
export function takeTurn(lane: Lane): Waiting {
  const request = lane.waiting.shift();
  if (request === undefined) throw new Error(`lane ${lane.campaign} has nobody waiting`);
  lane.pass += 1 / lane.weight;
  return request;
}

/** Forgets the lanes that nobody waits in. */
export function sweep(queue: Queue): void {
  queue.lanes = queue.lanes.filter((lane) => lane.waiting.length > 0);
}

function laneOf(queue: Queue, request: Request): Lane {
  const known = queue.lanes.find(
    (lane) => lane.campaign === request.campaign && lane.credential === request.credential,
  );
  if (known) return known;
  // A newcomer starts at the least pass in use, or it would be owed all the turns before its time.
  const passes = queue.lanes.filter((lane) => lane.waiting.length > 0).map((lane) => lane.pass);
  const lane: Lane = {
    campaign: request.campaign,
    credential: request.credential,
    weight: request.weight,
    pass: passes.length > 0 ? Math.min(...passes) : 0,
    waiting: [],
  };
  queue.lanes.push(lane);
  return lane;
}
