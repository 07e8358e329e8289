/**
 * Detects that the items of a service fail for the same reason: a wrong option for all rows, a broken engine. The other
 * items would fail as well, and each would use a slot. Pure.
 */
import type { ItemEnd, SameFailures } from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import { normalForm } from './same-reason.ts';

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

  /** For continue-as-new; undefined if there is nothing to carry. */
  carried(): BreakerCarried | undefined {
    return this.#threshold === undefined ? undefined : { ends: this.#ends, paused: this.#held };
  }

  /**
   * @param id of the item, by which messages are compared in their normal form; undefined: as they are, for
   *   campaigns older than the normal form
   * @returns why this service is paused from now on; null if it is not, or was paused before
   */
  add(service: ServiceName, end: ItemEnd, id?: string): SameFailures | null {
    const { state, code, message } = end;
    if (this.#threshold === undefined || state === 'cancelled') return null;
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

function reasonOf({ state, code, message }: ItemEnd, id: string | undefined): string {
  if (state === 'succeeded') return '';
  const words = message ?? '';
  return `${code ?? ''} ${id === undefined ? words : normalForm(words, id)}`;
}
