/**
 * Detects that the items of a service fail for the same reason: a wrong option for all rows, a broken engine. The other
 * items would fail as well, and each would use a slot. Pure.
 */
import type { ItemEnd, SameFailures } from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';

interface Ends {
  /** All items since the start of the campaign have ended in the same way. */
  atStart: boolean;
  /** Code and message (in its normal form) of the last ends, '' for a success; oldest first. */
  last: string[];
}

export interface BreakerCarried {
  readonly ends: Readonly<Partial<Record<ServiceName, Ends>>>;
  readonly paused: readonly SameFailures[];
}

export class Breaker {
  /** Undefined: it never pauses anything. */
  readonly #threshold: number | undefined;
  readonly #ends: Partial<Record<ServiceName, Ends>>;
  #held: SameFailures[];

  /** @param threshold `JobPolicy.sameFailures` */
  constructor(threshold: number | undefined, carried?: BreakerCarried) {
    this.#threshold = threshold;
    this.#ends = { ...carried?.ends };
    this.#held = [...(carried?.paused ?? [])];
  }

  /** The services that it has paused, and why. */
  get paused(): readonly SameFailures[] {
    return this.#held;
  }

  /** For continue-as-new. */
  carried(): BreakerCarried {
    return { ends: this.#ends, paused: this.#held };
  }

  /** @returns why this service is paused from now on; null if it is not, or was paused before */
  add(service: ServiceName, end: ItemEnd, id: string): SameFailures | null {
    const { state, code, message, byUs = false } = end;
    if (this.#threshold === undefined || state === 'cancelled' || byUs) return null;
    const ends = (this.#ends[service] ??= { atStart: true, last: [] });
    const reason = reasonOf(end, id);
    ends.last.push(reason);
    if (ends.last.length > 2 * this.#threshold) ends.last.shift();
    const times = ends.last.filter((one) => one === reason).length;
    if (ends.last.length > times) ends.atStart = false;
    const first = ends.atStart && times >= this.#threshold;
    if (reason === '' || !(first || times >= 2 * this.#threshold - 1)) return null;
    this.#ends[service] = { atStart: false, last: [] };
    if (this.#held.some((one) => one.service === service)) return null;
    const found = { service, code: code ?? '', message: message ?? '', times };
    this.#held.push(found);
    return found;
  }

  /** The user has resumed one service, or all. */
  release(service?: ServiceName): void {
    this.#held = this.#held.filter((one) => service !== undefined && one.service !== service);
  }
}

function reasonOf({ state, code, message }: ItemEnd, id: string): string {
  if (state === 'succeeded') return '';
  return `${code ?? ''} ${normalForm(message ?? '', id)}`;
}

/**
 * The normal form of a failure's message: without ids, times and paths, which differ from job to job although the reason
 * is the same. Other numbers stay: they may show what is wrong with the row. Pure.
 */

/** Shorter ids of items may be words of a message: `1`, `a`. */
const SHORTEST_ID = 3;

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
/** `2026-11-23T04:05:06.7Z`, `2026-11-23`, `04:05:06`, `Mon, 23 Nov 2026 04:05:06 GMT`. */
const DATE =
  /\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?:\d{4}-\d\d-\d\d|\d{4}\/\d\d\/\d\d|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{4})(?!\d)/gi;
const CLOCK = /\b[T ]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?!\w)/g;
/** `after 12.3 s`, `still called running 75 s past its time limit`. */
const DURATION = /\b\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|min|minutes?|h|hours?|days?)\b/g;
/** Of the address of a request, only the host stays. */
const URL_PATH = /(https?:\/\/[^\s/]+)\/[^\s"'<>)]*/gi;
/** Work folders have random names. */
const PATH = /(?<![\w:/.])(?:\/[\w.@+~%-]+){2,}\/?/g;
/** `a1b2c3d4`, `0x7ffe12ab`, `4711234`: letters with digits, from 6 characters on; digits alone, from 5 on. */
const LABEL = /\b(?:(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{6,}|\d{5,})\b/gi;

/** @param id of the item */
export function normalForm(message: string, id: string): string {
  return withoutId(message, id)
    .replace(URL_PATH, '$1/<path>')
    .replace(UUID, '<id>')
    .replace(DATE, '<time>')
    .replace(CLOCK, '<time>')
    .replace(/<time>(?:[T ]?<time>)+/g, '<time>')
    .replace(DURATION, '<time>')
    .replace(PATH, '<path>')
    .replace(LABEL, '<id>')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Also within a longer name: a service calls a job by its `job_name`, a file by the name that it was sent with. */
function withoutId(message: string, id: string): string {
  return id.length < SHORTEST_ID ? message : message.replaceAll(id, '<id>');
}
