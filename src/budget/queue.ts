/**
 * Who waits for a slot, and whose turn it is. Each campaign waits in a line of its own; turns go round the lines, so that a
 * campaign of ten items is not stuck behind one of ten thousand, and no line of the highest priority starves.
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
  /** The address of that lane. */
  readonly to: string;
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
  /** The addresses of all lanes of its campaign that may send it; absent if there is only one lane. */
  readonly lanes?: readonly string[];
}

/** A request in a line; `order` is its place in the order of asking, kept when it is put back. */
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

/** Added to the place of a request that goes before all others of its line. */
const IN_FRONT = Number.MIN_SAFE_INTEGER;

export interface Queue {
  lines: Line[];
  /** Paused campaigns: all their requests wait, also later ones. */
  paused: string[];
  nextOrder: number;
}

export interface Line {
  readonly campaign: string;
  priority: number;
  user: string | null;
  /** Rows of the campaign without a request yet, as last reported; null if unknown. */
  behind: number | null;
  /** Turns that it has had, or counts as having had: the line with the least goes first. */
  pass: number;
  /** Turns without a job, because the service refused the request: they are repeated without charge. */
  owed: number;
  waiting: Waiting[];
}

export function createQueue(): Queue {
  return { lines: [], paused: [], nextOrder: 0 };
}

/**
 * Adds a request at the end of its line. An item waits in one place only: requested again, it keeps its place. A new run of
 * the item, or a new generation, takes the place of the one before, which has ended.
 */
export function addToQueue(queue: Queue, request: Request): void {
  const line = findLine(queue, request);
  Object.assign(line, pickShare(request));
  if (request.behind !== undefined) line.behind = request.behind;
  const at = line.waiting.findIndex(({ item }) => item === request.item);
  const before = line.waiting[at];
  if (before) {
    const isSame = before.run === request.run && before.job.generation === request.job.generation;
    if (!isSame) line.waiting[at] = { ...before, ...request, turnedAway: [] };
    return;
  }
  // One that replaces another uses a slot that no other request can use.
  const order = queue.nextOrder + (request.replaces === undefined ? 0 : IN_FRONT);
  insert(line, { ...request, order, turnedAway: [] });
  queue.nextOrder += 1;
}

/** What the requests of a campaign say about its place. */
export function pickShare({ priority, user }: CampaignShare): CampaignShare {
  return { priority, user };
}

/** Puts a request back in its place: it keeps its turn, and its line does too. */
export function putBack(queue: Queue, refused: Waiting, because?: TurnedAway): void {
  const turnedAway = [...refused.turnedAway, ...(because ? [because] : [])];
  const request: Waiting = { ...refused, turnedAway: shortenTurnedAway(turnedAway) };
  const line = findLine(queue, request);
  insert(line, request);
  line.owed += 1;
}

/** The last ones, and one after which the service may have the job. */
function shortenTurnedAway(all: readonly TurnedAway[]): readonly TurnedAway[] {
  const last = all.slice(-TURNED_AWAY_KEPT);
  const uncertain = all.findLast(({ isUncertain }) => isUncertain);
  return uncertain === undefined || last.includes(uncertain) ? last : [uncertain, ...last.slice(1)];
}

/** In its place: usually the last, or among the first. */
function insert({ waiting }: Line, request: Waiting): void {
  const isLast = (waiting.at(-1)?.order ?? Number.NEGATIVE_INFINITY) < request.order;
  const at = isLast ? -1 : waiting.findIndex(({ order }) => order > request.order);
  waiting.splice(at < 0 ? waiting.length : at, 0, request);
}

/**
 * Puts a request at the end of its line: the next attempt is made with another row, which shows whether the service
 * refuses all of them or only this one.
 */
export function putLast(queue: Queue, refused: Waiting, because: TurnedAway): void {
  putBack(queue, { ...refused, order: queue.nextOrder }, because);
  queue.nextOrder += 1;
}

/** Removes all requests of one run of a campaign from the queue. */
export function withdrawRun(queue: Queue, { campaign, run }: CampaignRun): void {
  for (const line of queue.lines)
    if (line.campaign === campaign)
      line.waiting = line.waiting.filter((request) => request.run !== run);
}

/** Removes requests of a campaign from the end of its line: those of which certainly nothing was sent. Returns their rows. */
export function takeBack(queue: Queue, { campaign, run, most, to }: TakeBack): string[] {
  const isUnsent = ({ attempt, replaces, turnedAway, job }: Waiting): boolean =>
    attempt === 0 &&
    replaces === undefined &&
    turnedAway.every(({ isUncertain }) => !isUncertain) &&
    job.lanes?.includes(to) !== false;
  const waiting = queue.lines
    .filter((line) => line.campaign === campaign)
    .flatMap((line) => line.waiting.filter((one) => one.run === run && isUnsent(one)));
  const taken = new Set(waiting.slice(Math.max(0, waiting.length - most)));
  for (const line of queue.lines) line.waiting = line.waiting.filter((one) => !taken.has(one));
  return Array.from(taken, ({ job }) => job.id);
}

/** A resumed campaign is placed like a new one: it is not owed the turns it missed while it was paused. */
export function pauseCampaign(queue: Queue, campaign: string, paused: boolean): void {
  if (queue.paused.includes(campaign) === paused) return;
  if (paused) {
    queue.paused.push(campaign);
    return;
  }
  const lines = queue.lines.filter((line) => line.campaign === campaign);
  for (const line of lines) line.pass = findLeastPass(queue);
  queue.paused = queue.paused.filter((name) => name !== campaign);
}

/** The lines that have someone waiting and are not paused, the one whose turn it is first. */
export function sortLines(queue: Queue): Line[] {
  return queue.lines
    .filter((line) => line.waiting.length > 0 && !queue.paused.includes(line.campaign))
    .sort((a, b) => a.priority - b.priority || a.pass - b.pass);
}

/** Those of a lower priority have their turns after these, and are not owed them. */
export function raiseOutranked(queue: Queue, chosen: Line): void {
  for (const line of queue.lines) {
    if (line.priority > chosen.priority) line.pass = Math.max(line.pass, chosen.pass);
  }
}

/** Takes the next request out of a line and counts its turn. */
export function takeTurn(line: Line): Waiting {
  const request = line.waiting.shift();
  if (request === undefined) throw new Error(`line ${line.campaign} has no waiting request`);
  if (line.owed > 0) line.owed -= 1;
  else line.pass += 1;
  return request;
}

/** Removes empty lines. */
export function sweep(queue: Queue): void {
  queue.lines = queue.lines.filter((line) => line.waiting.length > 0);
}

function findLine(queue: Queue, request: Request): Line {
  const { campaign } = request;
  const known = queue.lines.find((line) => line.campaign === campaign);
  if (known) return known;
  const pass = findLeastPass(queue);
  const line: Line = {
    campaign,
    ...pickShare(request),
    behind: null,
    pass,
    owed: 0,
    waiting: [],
  };
  queue.lines.push(line);
  return line;
}

/**
 * Where a newcomer starts: level with the line whose turn it is. Further back it would be owed the turns before its time.
 */
function findLeastPass(queue: Queue): number {
  return sortLines(queue)[0]?.pass ?? 0;
}

/** What continue-as-new can carry in one payload of 2 MB: a request takes about 600 bytes. */
const MAX_CARRIED = 2_000;

/**
 * Drops requests from the ends of long lines until the queue fits into one payload. Their items still wait, and their
 * campaign requests slots for them again within ten minutes (src/workflows/campaign.ts).
 */
export function limitQueue({ lines }: Queue): void {
  const inAll = lines.reduce((sum, { waiting }) => sum + waiting.length, 0);
  if (inAll <= MAX_CARRIED) return;
  for (const { waiting } of lines) waiting.splice(Math.floor(MAX_CARRIED / lines.length));
}
