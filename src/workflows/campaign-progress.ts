/** The progress of a campaign: how its items have ended so far, what it reports of that, and when it is written. */
import { CancellationScope, condition, sleep, upsertMemo } from '@temporalio/workflow';
import type {
  CampaignProgress,
  CampaignSpec,
  FirstRows,
  ItemEnd,
  ItemEntry,
  KindProgress,
  RecentEnd,
  SameFailures,
} from '../domain/campaign.ts';
import { type CampaignState, countEnded, FINAL_STATES, type FinalState } from '../domain/states.ts';
import type { Breaker } from './breaker.ts';
import type { Feed } from './feed.ts';
import type { Kind } from '../domain/item.ts';
import { PROGRESS_MEMO } from './messages.ts';

export interface CampaignParts {
  readonly spec: CampaignSpec;
  readonly state: CampaignState;
  readonly feeds: readonly Feed[];
  readonly tally: ProgressTally;
  readonly breaker: Breaker;
  /** Why notifications of the end failed. */
  readonly unnotified: readonly string[];
}

export function progressOf(parts: CampaignParts): CampaignProgress {
  const { spec, state, feeds, tally, breaker, unnotified } = parts;
  const brakes = pausedWithRows(breaker, feeds);
  const first = firstRows(breaker, feeds);
  const openKinds = feeds.flatMap(({ open }) => Array.from(open.values(), ({ kind }) => kind));
  return {
    campaign: spec.name,
    state,
    total: spec.items,
    open: feeds.reduce((sum, { open }) => sum + open.size, 0),
    following: spec.following,
    ...tally.progress(openKinds),
    ...(brakes.length > 0 && { brakes }),
    ...(first.length > 0 && { first }),
    ...(unnotified.length > 0 && { unnotified }),
  };
}

/** Differs when the progress differs, and is made without a walk over the items. */
export function fingerprintOf({ spec, state, feeds, tally, breaker }: CampaignParts): string {
  const open = feeds.map((feed) => feed.open.size);
  const brakes = pausedWithRows(breaker, feeds).length;
  const held = feeds.map((feed) => feed.held);
  return [state, spec.items, spec.following, tally.total, brakes, ...held, ...open].join();
}

/** Kinds whose next row waits for the first ones. */
function firstRows({ first: rows = 0 }: Breaker, feeds: readonly Feed[]): readonly FirstRows[] {
  return feeds.flatMap(({ held: kind }) => (kind === null ? [] : [{ kind, rows }]));
}

interface EndOfItem {
  readonly feed: Feed;
  readonly entry: ItemEntry;
  readonly end: ItemEnd;
}

/** Why the service of this feed is paused from now on; null if it is not. */
export function reasonToPause(
  breaker: Breaker,
  { feed, entry, end }: EndOfItem,
): SameFailures | null {
  return feed.hasEnded ? null : breaker.add(feed.spec.reference.service, entry, end);
}

/** Of the paused services those that have rows left. */
function pausedWithRows(breaker: Breaker, feeds: readonly Feed[]): readonly SameFailures[] {
  return breaker.paused.filter(({ service }) =>
    feeds.some(({ spec, hasEnded }) => spec.reference.service === service && !hasEnded),
  );
}

const ENDS_KEPT = 20;
const FAILURES_KEPT = 10;
/** The full message of a service is in item.json. */
const MESSAGE_KEPT = 200;

type Ended = Record<FinalState, number>;

/** What an earlier run of the campaign had counted, or the rows that were refused before it began. */
type Counted = Omit<Partial<CampaignProgress>, 'ended'> & { readonly ended: Partial<Ended> };

/**
 * How the items of a campaign have ended so far: by state, by kind, by code; and the last few. Its size does not grow with
 * the campaign, because it is part of the memo and of continue-as-new.
 *
 * Rejected: searching visibility for the last ends, which repeats a search each second, and reading item.json, which is
 * not possible on another machine.
 */
export class ProgressTally {
  readonly ended = noneEnded();
  readonly #failuresByCode: Record<string, number>;
  readonly #byKind = new Map<Kind, Ended>();
  /** Oldest first, as are the failures. */
  readonly #recent: RecentEnd[];
  readonly #failures: RecentEnd[];

  constructor({ ended, failuresByCode, kinds = {}, recent = [], failures = [] }: Counted) {
    Object.assign(this.ended, ended);
    this.#failuresByCode = { ...failuresByCode };
    for (const [kind, of] of Object.entries(kinds)) {
      if (of) this.#byKind.set(kind, { ...of.ended });
    }
    this.#recent = [...recent];
    this.#failures = [...failures];
  }

  /** One that has just ended. */
  add({ message, ...end }: RecentEnd): void {
    this.count(end.kind, end);
    const kept = { ...end, message: message && message.slice(0, MESSAGE_KEPT) };
    append(this.#recent, kept, ENDS_KEPT);
    if (kept.state === 'failed' || kept.state === 'held')
      append(this.#failures, kept, FAILURES_KEPT);
  }

  /** One that had ended before the campaign came to it. */
  count(kind: Kind, { state, code }: Pick<ItemEnd, 'state' | 'code'>): void {
    this.ended[state] += 1;
    this.#of(kind)[state] += 1;
    if (code) this.#failuresByCode[code] = (this.#failuresByCode[code] ?? 0) + 1;
  }

  /** Items that have ended, in any state. */
  get total(): number {
    return countEnded(this.ended);
  }

  /** `open`: the kinds of the items that are open. */
  progress(open: Iterable<Kind>) {
    const started = new Map<Kind, number>();
    for (const kind of open) started.set(kind, (started.get(kind) ?? 0) + 1);
    const kinds: Partial<Record<Kind, KindProgress>> = {};
    for (const kind of new Set([...this.#byKind.keys(), ...started.keys()]))
      kinds[kind] = { open: started.get(kind) ?? 0, ended: { ...this.#of(kind) } };
    return {
      ended: { ...this.ended },
      failuresByCode: { ...this.#failuresByCode },
      kinds,
      recent: this.#recent,
      failures: this.#failures,
    };
  }

  #of(kind: Kind): Ended {
    const known = this.#byKind.get(kind) ?? noneEnded();
    this.#byKind.set(kind, known);
    return known;
  }
}

function noneEnded(): Ended {
  return Object.fromEntries(FINAL_STATES.map((state) => [state, 0])) as Ended;
}

function append(list: RecentEnd[], end: RecentEnd, most: number): void {
  list.push(end);
  if (list.length > most) list.shift();
}

/**
 * Writes the progress of a campaign into its memo, where commands and workers read it. They do not query it: a worker
 * that answers a query while another one has a task of the same workflow may produce a history that cannot be replayed
 * (SDK 1.24.0; docs/reliability.md).
 *
 * Rejected: a write with each task (a campaign of thousands has ten tasks a second), an activity that writes it into the
 * tree (three more events each time, and a reader on another machine needs the tree).
 */

/** Readers look once a second. */
const WRITE_EVERY_MS = 1_000;

export class WrittenProgress {
  readonly #parts: () => CampaignParts;
  /** The state that was written last. */
  #written: string | null = null;

  constructor(parts: () => CampaignParts) {
    this.#parts = parts;
  }

  /** Until the workflow ends: a campaign that is cancelled has progress too. */
  async keep(): Promise<void> {
    this.#write();
    await CancellationScope.nonCancellable(async () => {
      for (;;) {
        await condition(() => this.#standing() !== this.#written);
        this.#write();
        await sleep(WRITE_EVERY_MS, { summary: 'until the progress is written again' });
      }
    });
  }

  /** Immediately: for what a user has just requested, and will look for next. */
  writeNow(): void {
    if (this.#written !== null && this.#written !== this.#standing()) this.#write();
  }

  #write(): void {
    this.#written = this.#standing();
    upsertMemo({ [PROGRESS_MEMO]: progressOf(this.#parts()) });
  }

  #standing(): string {
    return fingerprintOf(this.#parts());
  }
}
