/** What is charged to a credential: it changes with each submission, and `policy.ts` says what it leaves. */
import {
  countCharged,
  findFirstAfter,
  computeLongestMs,
  computeLongestSpan,
  pack,
  computeSpan,
  type Close,
  type Policy,
  type Usage,
  type Window,
} from './policy.ts';

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
  const { granted, foreign, changed } = charges;
  const inWindows = policy.windows.map((window) => countCharged(window, charges, now));
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
