/**
 * Who waits for a slot, and whose turn it is. Each campaign waits in a lane of its own; turns go round the lanes, so that a
 * campaign of ten items is not stuck behind one of ten thousand, and no lane of the highest priority starves.
 */
import type { Attempt, ItemLaunch, CampaignShare } from '../domain/campaign.ts';
import type { NotNowReason } from '../domain/outcomes.ts';

/** One item that waits to be submitted. */
export interface Request extends CampaignShare {
  /** Workflow id of the item: where the answer goes. */
  readonly item: string;
  /**
   * Run id of the item's workflow, or of the first run of its campaign where the item has no workflow yet. Ids are used
   * again: by the next campaign of the same name, by `retry`, for a tree that was removed. An answer to an
   * earlier run does not count for this one.
   */
  readonly run: string;
  readonly campaign: string;
  /** Which submission of the item this is for, from 0: an unsure one may be followed by another. */
  readonly attempt: number;
  /**
   * A former submission of this item (`buildSlotKey`): the service said that it has no job of this name, and accepts a name
   * only once. Both create at most one job, so that they share a slot (closing.ts).
   */
  readonly replaces?: string;
  /** Its submissions until now, and what look-ups said of them. */
  readonly attempts?: readonly Attempt[];
  /** About how many rows of the campaign have no request yet; absent if unknown. */
  readonly behind?: number;
  readonly job: ItemJob;
}

/**
 * Distinguishes the requests of a campaign, for items without a workflow, from those of other campaigns with the same
 * name.
 */
export interface CampaignRun {
  readonly campaign: string;
  /** Of its first run. */
  readonly run: string;
}

/** Rows that another lane of the campaign could send. */
export interface TakeBack extends CampaignRun {
  /** How many at most. */
  readonly most: number;
  /** Distinguishes it from others. */
  readonly token: string;
}

/** Enough to find the job of an item on disk and send it. */
export interface ItemJob {
  readonly id: string;
  /** Generation of the item: `retry` begins a new one. */
  readonly generation: number;
  readonly kind: string;
  readonly store: string;
  /** Id of the output tree. */
  readonly tree: string;
  /** For the start of the item's workflow when the submission is answered. */
  readonly launch: ItemLaunch;
  /** The addresses of all lanes of its campaign; absent if it has only one. */
  readonly lanes?: readonly string[];
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
  readonly reason: NotNowReason;
  readonly message: string;
  /** Of `blocked`: how many jobs the service had accepted by then, of whatever row. */
  readonly accepted?: number;
  /** The service may have the job nevertheless. */
  readonly isUncertain?: true;
}

/**
 * Distinguishes the requests of two runs of one item. Rejected: a counter in the tree, which a new tree starts at 0
 * again.
 */
export function requestKey({ item, run }: Pick<Request, 'item' | 'run'>): string {
  return `${item} ${run}`;
}

/** Identifies one submission, here and in the ledger. */
export function buildSlotKey({
  attempt,
  job,
  ...of
}: Pick<Request, 'item' | 'run' | 'attempt' | 'job'>) {
  return `${requestKey(of)} ${job.generation} ${attempt}`;
}

const TURNED_AWAY_KEPT = 20;

/** Added to the place of a request that goes before all others of its lane. */
const IN_FRONT = Number.MIN_SAFE_INTEGER;

export interface Queue {
  lanes: Lane[];
  /** Paused campaigns: all their requests wait, also later ones. */
  paused: string[];
  nextOrder: number;
}

export interface Lane {
  readonly campaign: string;
  priority: number;
  user: string | null;
  /** Rows of the campaign without a request yet, as last reported; null if unknown. */
  behind: number | null;
  /** Turns that it has had, or counts as having had: the lane with the least goes first. */
  pass: number;
  /** Turns without a job, because the service refused the request: they are repeated without charge. */
  owed: number;
  waiting: Waiting[];
}

export function createQueue(): Queue {
  return { lanes: [], paused: [], nextOrder: 0 };
}

/**
 * Adds a request at the end of its lane. An item waits in one place only: requested again, it keeps its place. A new run of
 * the item takes the place of the one before, which has ended.
 */
export function addToQueue(queue: Queue, request: Request): void {
  const lane = findLane(queue, request);
  Object.assign(lane, pickShare(request));
  if (request.behind !== undefined) lane.behind = request.behind;
  const at = lane.waiting.findIndex(({ item }) => item === request.item);
  const before = lane.waiting[at];
  if (before) {
    if (before.run !== request.run) lane.waiting[at] = { ...before, ...request, turnedAway: [] };
    return;
  }
  // One that replaces another uses a slot that no other request can use.
  const order = queue.nextOrder + (request.replaces === undefined ? 0 : IN_FRONT);
  insert(lane, { ...request, order, turnedAway: [] });
  queue.nextOrder += 1;
}

/** What the requests of a campaign say about its place. */
export function pickShare({ priority, user }: CampaignShare): CampaignShare {
  return { priority, user };
}

/** Puts a request back in its place: it keeps its turn, and its lane does too. */
export function putBack(queue: Queue, refused: Waiting, because?: TurnedAway): void {
  const turnedAway = [...refused.turnedAway, ...(because ? [because] : [])].slice(
    -TURNED_AWAY_KEPT,
  );
  const request: Waiting = { ...refused, turnedAway };
  const lane = findLane(queue, request);
  insert(lane, request);
  lane.owed += 1;
}

/** In its place: usually the last, or among the first. */
function insert({ waiting }: Lane, request: Waiting): void {
  const isLast = (waiting.at(-1)?.order ?? Number.NEGATIVE_INFINITY) < request.order;
  const at = isLast ? -1 : waiting.findIndex(({ order }) => order > request.order);
  waiting.splice(at < 0 ? waiting.length : at, 0, request);
}

/**
 * Puts a request at the end of its lane: the next attempt is made with another row, which shows whether the service
 * refuses all of them or only this one.
 */
export function putLast(queue: Queue, refused: Waiting, because: TurnedAway): void {
  putBack(queue, { ...refused, order: queue.nextOrder }, because);
  queue.nextOrder += 1;
}

/** Removes all requests of one run of a campaign from the queue. */
export function withdrawRun(queue: Queue, { campaign, run }: CampaignRun): void {
  for (const lane of queue.lanes)
    if (lane.campaign === campaign)
      lane.waiting = lane.waiting.filter((request) => request.run !== run);
}

/** Removes requests of a campaign from the end of its lane: those of which certainly nothing was sent. Returns their rows. */
export function takeBack(queue: Queue, { campaign, run, most }: TakeBack): string[] {
  const isUnsent = ({ attempt, replaces, turnedAway }: Waiting): boolean =>
    attempt === 0 && replaces === undefined && turnedAway.every(({ isUncertain }) => !isUncertain);
  const waiting = queue.lanes
    .filter((lane) => lane.campaign === campaign)
    .flatMap((lane) => lane.waiting.filter((one) => one.run === run && isUnsent(one)));
  const taken = new Set(waiting.slice(Math.max(0, waiting.length - most)));
  for (const lane of queue.lanes) lane.waiting = lane.waiting.filter((one) => !taken.has(one));
  return Array.from(taken, ({ job }) => job.id);
}

/** A resumed campaign is placed like a new one: it is not owed the turns it missed while it was paused. */
export function pauseCampaign(queue: Queue, campaign: string, paused: boolean): void {
  if (queue.paused.includes(campaign) === paused) return;
  if (paused) {
    queue.paused.push(campaign);
    return;
  }
  const lanes = queue.lanes.filter((lane) => lane.campaign === campaign);
  for (const lane of lanes) lane.pass = findLeastPass(queue);
  queue.paused = queue.paused.filter((name) => name !== campaign);
}

/** The lanes that have someone waiting and are not paused, the one whose turn it is first. */
export function sortLanes(queue: Queue): Lane[] {
  return queue.lanes
    .filter((lane) => lane.waiting.length > 0 && !queue.paused.includes(lane.campaign))
    .sort((a, b) => a.priority - b.priority || a.pass - b.pass);
}

/** Those of a lower priority have their turns after these, and are not owed them. */
export function raiseOutranked(queue: Queue, chosen: Lane): void {
  for (const lane of queue.lanes) {
    if (lane.priority > chosen.priority) lane.pass = Math.max(lane.pass, chosen.pass);
  }
}

/** Takes the next request out of a lane and counts its turn. */
export function takeTurn(lane: Lane): Waiting {
  const request = lane.waiting.shift();
  if (request === undefined) throw new Error(`lane ${lane.campaign} has no waiting request`);
  if (lane.owed > 0) lane.owed -= 1;
  else lane.pass += 1;
  return request;
}

/** Removes empty lanes. */
export function sweep(queue: Queue): void {
  queue.lanes = queue.lanes.filter((lane) => lane.waiting.length > 0);
}

function findLane(queue: Queue, request: Request): Lane {
  const { campaign } = request;
  const known = queue.lanes.find((lane) => lane.campaign === campaign);
  if (known) return known;
  const pass = findLeastPass(queue);
  const lane: Lane = {
    campaign,
    ...pickShare(request),
    behind: null,
    pass,
    owed: 0,
    waiting: [],
  };
  queue.lanes.push(lane);
  return lane;
}

/**
 * Where a newcomer starts: level with the lane whose turn it is. Further back it would be owed the turns before its time.
 */
function findLeastPass(queue: Queue): number {
  return sortLanes(queue)[0]?.pass ?? 0;
}

/** What continue-as-new can carry in one payload of 2 MB: a request takes about 600 bytes. */
const MAX_CARRIED = 2_000;

/**
 * Drops requests from the ends of long lanes until the queue fits into one payload. Their items still wait, and their
 * campaign requests slots for them again within ten minutes (src/workflows/campaign.ts).
 */
export function limitQueue({ lanes }: Queue): void {
  const inAll = lanes.reduce((sum, { waiting }) => sum + waiting.length, 0);
  if (inAll <= MAX_CARRIED) return;
  for (const { waiting } of lanes) waiting.splice(Math.floor(MAX_CARRIED / lanes.length));
}
