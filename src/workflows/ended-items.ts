/**
 * Ended items for `watch` and `status`: counts by kind, and the last few. Its size does not grow with the campaign,
 * because it is part of the memo and of continue-as-new.
 *
 * Rejected: searching visibility for the last ends, which repeats a search each second, and reading item.json, which is
 * not possible on another machine.
 */
import type { CampaignProgress, KindProgress, RecentEnd } from '../domain/campaign.ts';
import type { Kind } from '../domain/item.ts';
import { FINAL_STATES, type FinalState } from '../domain/states.ts';

const ENDS_KEPT = 20;
const FAILURES_KEPT = 10;
/** The full message of a service is in item.json. */
const MESSAGE_KEPT = 200;

type Ended = Record<FinalState, number>;

export class EndedItems {
  readonly #byKind = new Map<Kind, Ended>();
  /** Oldest first, as are the failures. */
  readonly #recent: RecentEnd[];
  readonly #failures: RecentEnd[];

  constructor({ kinds = {}, recent = [], failures = [] }: Partial<CampaignProgress> = {}) {
    for (const [kind, { ended }] of Object.entries(kinds))
      this.#byKind.set(kind as Kind, { ...ended });
    this.#recent = [...recent];
    this.#failures = [...failures];
  }

  count(kind: Kind, state: FinalState): void {
    this.#of(kind)[state] += 1;
  }

  /** One that has just ended. */
  add({ message, ...end }: RecentEnd): void {
    const kept = { ...end, message: message && message.slice(0, MESSAGE_KEPT) };
    append(this.#recent, kept, ENDS_KEPT);
    if (kept.state === 'failed' || kept.state === 'held')
      append(this.#failures, kept, FAILURES_KEPT);
  }

  progress(open: Iterable<Kind>): Pick<CampaignProgress, 'kinds' | 'recent' | 'failures'> {
    const started = new Map<Kind, number>();
    for (const kind of open) started.set(kind, (started.get(kind) ?? 0) + 1);
    const kinds: Partial<Record<Kind, KindProgress>> = {};
    for (const kind of new Set([...this.#byKind.keys(), ...started.keys()]))
      kinds[kind] = { open: started.get(kind) ?? 0, ended: { ...this.#of(kind) } };
    return { kinds, recent: this.#recent, failures: this.#failures };
  }

  #of(kind: Kind): Ended {
    const known = this.#byKind.get(kind);
    if (known) return known;
    const none = Object.fromEntries(FINAL_STATES.map((state) => [state, 0])) as Ended;
    this.#byKind.set(kind, none);
    return none;
  }
}

function append(list: RecentEnd[], end: RecentEnd, most: number): void {
  list.push(end);
  if (list.length > most) list.shift();
}
