/**
 * What is charged to a credential; and how many jobs may go now, and when the next: a list of rolling windows and a bound
 * on open jobs. Budget, ledger, forecast and status ask here. Pure: times are milliseconds of one clock that the caller
 * passes in.
 *
 * Why no window ever has more than its limit. The service stamps a job at some S between the start of our request and
 * its close C: when the answer is in, or the latest moment of an acceptance if there is none. So S ≤ C. A slot is taken in
 * every window when the request is granted; in a window of length W it stays taken until C + W (and a guard). Suppose
 * that L + 1 jobs were stamped in some [t, t + W), where L is the limit. Let the last of them to be granted be granted at
 * G; it was stamped at or after G, so G < t + W. Each of the other L was granted before, and at G it is in flight, or
 * closed at C ≥ S ≥ t, so that C + W ≥ t + W > G. Hence L slots were taken at G, and nothing was granted. A contradiction.
 * Each window is judged by itself, and a grant needs a slot in all of them: so all hold at once.
 *
 * Three things follow. A close may be dated later than it was, never earlier: `pack` rounds up. A close may be forgotten
 * once it has left the longest window; if a window is made longer, it counts as full for as long as it contains the
 * moment of the last one forgotten. And clients that count from the start of a request are refused, because the stamp is
 * up to one latency later.
 *
 * `maxOpen` bounds the jobs that are accepted and have not ended, those on their way included, as far as their ends are
 * known here: no more than that many are granted and not seen to end.
 */

/** Covers the rounding of clocks and timers at the service. In ms. */
export const GUARD_MS = 25;
/** With a Temporal on several hosts, also the differences of their clocks. */
export const REMOTE_GUARD_MS = 1_000;

/** Where as many jobs are open as may be, they are counted again after this long (ms). */
const OPEN_AGAIN_MS = 5_000;

/** At most `limit` jobs in any stretch of `windowMs`. */
export interface Window {
  readonly limit: number;
  /** ms */
  readonly windowMs: number;
  /** A job counts for so much longer (ms); default: `GUARD_MS`. */
  readonly guardMs?: number;
}

/** For how long a job counts (ms). */
export function computeSpan({ windowMs, guardMs = GUARD_MS }: Span): number {
  return windowMs + guardMs;
}

type Span = Pick<Window, 'windowMs' | 'guardMs'>;

/** What a service allows with one credential. All of it holds at once. */
export interface Policy {
  /** Empty: no limit. */
  readonly windows: readonly Window[];
  /** Jobs that are accepted and have not ended, at most; null: no bound. */
  readonly maxOpen: number | null;
  /** What a window counts: the jobs that were accepted, or every submission that was sent. */
  readonly counts: 'accepted' | 'sent';
}

/** So many jobs were charged, at the latest at this time (ms), to this campaign; null: of others, or unknown. */
export type Close = readonly [at: number, jobs: number, campaign: string | null];

/** With a Temporal on several hosts, whose clocks differ. */
export function withRemoteGuard(policy: Policy): Policy {
  const windows = policy.windows.map((window) => ({ ...window, guardMs: REMOTE_GUARD_MS }));
  return { ...policy, windows };
}

/** What counts against a policy. */
export interface Usage {
  /** Requests that have started and not closed. */
  readonly inFlight: number;
  /** Ascending: those in the longest window, and some that have left it. */
  readonly closes: readonly Close[];
  /** Jobs that are accepted and have not ended, and those on their way; absent where they are not counted. */
  readonly open?: number;
  /** What was charged before this time (ms) is not known; absent if all is. */
  readonly unknownBefore?: number;
}

/** How many may go now, and when the next. */
interface Room {
  /** Never negative, even after a limit was lowered; `Infinity` without a limit. */
  readonly free: number;
  /** `now` if one may go; `Infinity` if only the close of a request in flight can free a slot. */
  readonly nextAt: number;
}

/** @param due when some of those in flight are charged at the latest, ascending */
export function findRoom(
  { windows, maxOpen }: Pick<Policy, 'windows' | 'maxOpen'>,
  usage: Usage,
  now: number,
  due: readonly number[] = [],
): Room {
  let [free, nextAt] = [Number.POSITIVE_INFINITY, now];
  for (const window of windows) {
    const room = findRoomInWindow(window, usage, now, due);
    free = Math.min(free, room.free);
    nextAt = Math.max(nextAt, room.nextAt);
  }
  if (maxOpen === null || usage.open === undefined) return { free, nextAt };
  const more = Math.max(0, maxOpen - usage.open);
  return {
    free: Math.min(free, more),
    nextAt: more > 0 ? nextAt : Math.max(nextAt, now + OPEN_AGAIN_MS),
  };
}

export function findRoomInWindow(
  window: Window,
  usage: Usage,
  now: number,
  due: readonly number[] = [],
): Room {
  const fullUntil = release(window, usage.unknownBefore ?? Number.NEGATIVE_INFINITY);
  const left = Math.max(0, window.limit - countCharged(window, usage, now));
  const free = fullUntil > now ? 0 : left;
  if (free > 0) return { free, nextAt: now };
  return { free, nextAt: Math.max(fullUntil, nextRelease(window, usage, now, due)) };
}

/** Slots of a window in use: requests in flight, and jobs within the window. */
export function countCharged(window: Window, usage: Usage, now: number): number {
  return usage.inFlight + countJobs(listCounting(window, usage, now));
}

/** The closes that count in a window. */
export function listCounting(window: Span, { closes }: Usage, now: number): readonly Close[] {
  return closes.slice(findFirstAfter(closes, now - computeSpan(window)));
}

export function countJobs(closes: readonly Close[]): number {
  return closes.reduce((sum, [, jobs]) => sum + jobs, 0);
}

/** When the charged slots become free, ascending: what `hundredfold status` shows. */
export function listReleases(window: Window, usage: Usage, now: number): number[] {
  return listCounting(window, usage, now).flatMap(([at, jobs]) =>
    Array<number>(jobs).fill(release(window, at)),
  );
}

/** After a limit was lowered, several slots must be released before one is free. */
function nextRelease(window: Window, usage: Usage, now: number, due: readonly number[]): number {
  let excess = countCharged(window, usage, now) - window.limit;
  if (excess < 0) return now;
  for (const [at, jobs] of listCounting(window, usage, now)) {
    if (excess < jobs) return release(window, at);
    excess -= jobs;
  }
  const at = due[excess];
  return at === undefined ? Number.POSITIVE_INFINITY : release(window, at);
}

/** The first millisecond at which a job closed at `close` no longer counts. */
function release(window: Span, close: number): number {
  return close + computeSpan(window);
}

/** The longest window (ms); 0 without one. */
export function computeLongestMs(windows: readonly Window[]): number {
  return Math.max(0, ...windows.map(({ windowMs }) => windowMs));
}

/** For how long a job counts in the longest window (ms); 0 without one. */
export function computeLongestSpan(windows: readonly Window[]): number {
  return Math.max(0, ...windows.map(computeSpan));
}

/** What counts in any window counts in this one. */
export function createLongestWindow({ windows }: Pick<Policy, 'windows'>): Span {
  return { windowMs: computeLongestSpan(windows), guardMs: 0 };
}

/** Index of the first close that is later; the length when none is. */
export function findFirstAfter(ascending: readonly Close[], time: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle]?.[0] ?? 0) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

const MAX_CLOSES = 500;
/** Cells of a window, at least: rounding delays a slot by less than this share of the window's length. */
const CELLS = 128;

/**
 * Few enough closes for a memo and for continue-as-new, whatever the limits are: 24 h with 2,400 jobs become 200 pairs of
 * a time and a number. Beyond `MAX_CLOSES`, those that have left the shorter windows are rounded up to cells of the
 * shortest window in which they count, the oldest first. A cell is used when its end has left the shorter window as well, so
 * that no job counts again there. Their campaigns are forgotten. The grid is absolute, and its steps are powers of two: what was rounded is not moved when
 * it is rounded again, also in another window.
 */
export function pack(
  closes: readonly Close[],
  spansMs: readonly number[],
  now: number,
): readonly Close[] {
  if (closes.length <= MAX_CLOSES) return closes;
  const spans = [0, ...spansMs].sort((a, b) => a - b);
  let packed = closes;
  for (let i = spans.length - 1; i > 0 && packed.length > MAX_CLOSES; i -= 1) {
    const shorter = spans[i - 1] as number;
    // In the shortest window, a cell may end in the future.
    const until = shorter === 0 ? Number.POSITIVE_INFINITY : now - shorter;
    const step = 2 ** Math.max(0, Math.floor(Math.log2((spans[i] as number) / CELLS)));
    packed = roundUp(packed, step, until);
  }
  return packed;
}

function roundUp(closes: readonly Close[], step: number, until: number): readonly Close[] {
  const rounded = new Map<string, Close>();
  for (const [at, jobs, campaign] of closes) {
    const end = Math.ceil(at / step) * step;
    const isRounded = end <= until;
    const [to, of] = isRounded ? [end, null] : [at, campaign];
    const key = `${to} ${of ?? ''}`;
    rounded.set(key, [to, jobs + (rounded.get(key)?.[1] ?? 0), of]);
  }
  return [...rounded.values()];
}

/**
 * The time (ms) at which the last of `jobs` can be submitted, if each is accepted at once and no one else uses the
 * windows. `now` when there is nothing to submit or no limit; `Infinity` with a limit of zero.
 *
 * @param charged when the jobs that count were charged, ascending; for those on their way, `now`
 */
export function estimateLastSubmission(
  windows: readonly Window[],
  charged: readonly number[],
  jobs: number,
  now: number,
): number {
  if (windows.some(({ limit }) => limit <= 0)) return jobs <= 0 ? now : Number.POSITIVE_INFINITY;
  const times = [...charged];
  let last = now;
  // Each goes when, in every window, the job that is `limit` before it has left.
  for (let left = jobs; left > 0; left -= 1) {
    for (const window of windows) {
      const before = times[times.length - window.limit];
      if (before !== undefined) last = Math.max(last, before + computeSpan(window));
    }
    times.push(last);
  }
  return last;
}

/* ---- charges: they change with each submission ---- */

/**
 * Closes older than every window are kept this long (ms), and at most so many: a window may be made longer while it runs,
 * or a limit be set where there was none, and what was accepted before counts then as well.
 */
const REMEMBERED_MS = 24 * 3_600_000;
const REMEMBERED = 500;

export interface Charges extends Usage {
  inFlight: number;
  closes: Close[];
  unknownBefore?: number;
  /** Grants ever made: shows how many happened between two moments. */
  granted: number;
  /** Jobs of others ever found through the service's answers. */
  foreign: number;
  /** How often the policy was changed. */
  changed: number;
}

/** What is known when a slot is taken: needed to read the service's rate-limit headers when the answer is in. */
export interface Ticket {
  /** Slots of each window charged right after this one was taken, itself included. */
  readonly charged: readonly number[];
  readonly granted: number;
  readonly foreign: number;
  readonly changed: number;
}

export function createCharges(): Charges {
  return { inFlight: 0, closes: [], granted: 0, foreign: 0, changed: 0 };
}

/** Takes a slot for a request that starts now. The caller has checked that one is free. */
export function takeSlot(charges: Charges, policy: Policy, now: number): Ticket {
  forget(charges, policy, now);
  charges.inFlight += 1;
  charges.granted += 1;
  return createTicket(charges, policy, now);
}

/** For a request that starts now in a slot that is taken already. */
export function createTicket(charges: Charges, { windows }: Policy, now: number): Ticket {
  const { granted, foreign, changed } = charges;
  const inWindows = windows.map((window) => countCharged(window, charges, now));
  return { charged: inWindows, granted, foreign, changed };
}

/** The request closed and its job was accepted, or may have been: charged until the windows have passed. */
export function charge(charges: Charges, now: number, campaign: string): void {
  charges.inFlight -= 1;
  insert(charges.closes, [now, 1, campaign]);
}

/** Charges jobs that were sent elsewhere. */
export function restore({ closes }: Charges, times: readonly number[]): void {
  for (const at of times) insert(closes, [at, 1, null]);
}

/** The request closed and certainly made no job: the slot is free again at once. */
export function giveBack(charges: Charges): void {
  charges.inFlight -= 1;
}

/**
 * Believes the service when it says that *less* is left than we think: someone else uses the same credential.
 * To be called before `charge`, with the ticket of the request whose answer carried `seen`.
 *
 * Other requests of ours may have been stamped before this one, so the least that can rightly be left is the
 * limit less all that was charged when this request started, less all that was granted or found since. What is
 * missing from that belongs to others and is charged as if it had closed now, the latest moment it can have been.
 * Returns how many foreign jobs were found.
 */
export function reconcile(
  charges: Charges,
  { windows }: Policy,
  ticket: Ticket,
  seen: { readonly limit: number | null; readonly remaining: number },
  now: number,
): number {
  const at = chooseWindow(windows, seen.limit);
  const window = windows[at];
  // Counted under another limit, by the service or by us: nothing can be read from the difference.
  if (window === undefined || ticket.changed !== charges.changed) return 0;
  const since = charges.granted - ticket.granted + (charges.foreign - ticket.foreign);
  const least = window.limit - (ticket.charged[at] ?? 0) - since;
  const foreign = Math.min(window.limit, Math.max(0, least - seen.remaining));
  if (foreign > 0) insert(charges.closes, [now, foreign, null]);
  charges.foreign += foreign;
  return foreign;
}

/** The headers of a service speak of one window: of several here, the one with that limit; of two such, the longest. */
function chooseWindow(windows: readonly Window[], limit: number | null): number {
  if (windows.length === 1) return 0;
  const alike = windows.filter((window) => window.limit === limit);
  return windows.findIndex(
    (window) => window.limit === limit && window.windowMs === computeLongestMs(alike),
  );
}

/** Drops what neither counts nor will, and rounds the rest: the state stays small whatever the limits are. */
function forget(charges: Charges, { windows }: Policy, now: number): void {
  const longest = computeLongestSpan(windows);
  const kept = Math.max(longest, REMEMBERED_MS);
  const spans = windows.map(computeSpan);
  const packed = pack(charges.closes, longest < kept ? [...spans, kept] : spans, now);
  const past = findFirstAfter(packed, now - longest);
  const gone = Math.max(findFirstAfter(packed, now - kept), past - REMEMBERED);
  if (gone > 0)
    charges.unknownBefore = Math.max(packed[gone - 1]?.[0] ?? 0, charges.unknownBefore ?? 0);
  if (gone > 0 || packed !== charges.closes) charges.closes = packed.slice(Math.max(0, gone));
}

function insert(ascending: Close[], close: Close): void {
  const [at, jobs, campaign] = close;
  const index = findFirstAfter(ascending, at);
  const before = ascending[index - 1];
  if (before?.[0] === at && before[2] === campaign)
    ascending[index - 1] = [at, before[1] + jobs, campaign];
  else ascending.splice(index, 0, close);
}
