/**
 * The progress of a campaign: how its items have ended so far, and where that is shown.
 *
 * Commands and workers read it in the memo. They do not query the campaign: a worker that answers a query while another one
 * has a task of the same workflow may produce a history that cannot be replayed (SDK 1.24.0; docs/decisions.md).
 *
 * Rejected: writing the memo with each task (a campaign of thousands has ten tasks a second); an activity that writes it into
 * the tree (three more events each time, and a reader on another machine needs the tree).
 */
import {
  CancellationScope,
  condition,
  setCurrentDetails,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import {
  type CampaignProgress,
  type CampaignSpec,
  type FirstRows,
  type ItemEnd,
  type KindProgress,
  type PausedService,
  type RecentEnd,
  type Kind,
  type CampaignState,
  countEnded,
  FINAL_STATES,
  type FinalState,
} from '../domain/campaign.ts';
import type { Breaker } from './breaker.ts';
import { formatCampaignDetails } from './details.ts';
import type { Feed } from './feed.ts';
import { PROGRESS_MEMO } from './messages.ts';
import { ATTRIBUTES } from './names.ts';

/** Readers of the memo look once a second. */
const MEMO_INTERVAL_MS = 1_000;

/** A campaign, as far as it is shown. */
export interface Shown {
  readonly spec: CampaignSpec;
  readonly startedAt: number;
  readonly feeds: readonly Feed[];
  readonly tally: ProgressTally;
  readonly breaker: Breaker;
}

export class ShownProgress {
  state: CampaignState;
  /** Why notifications of the end failed. */
  unnotified: readonly string[] = [];
  readonly #shown: Shown;
  /** The state of the memo. */
  #written: string | null = null;

  constructor(shown: Shown, state: CampaignState) {
    this.#shown = shown;
    this.state = state;
  }

  get current(): CampaignProgress {
    const { spec, feeds, tally } = this.#shown;
    const [pausedServices, first] = [this.#pausedWithRows(), this.#firstRows()];
    const openKinds = feeds.flatMap(({ open }) => Array.from(open.values(), ({ kind }) => kind));
    return {
      campaign: spec.name,
      state: this.state,
      total: spec.items,
      open: feeds.reduce((sum, { open }) => sum + open.size, 0),
      following: spec.following,
      ...tally.progress(openKinds),
      ...(pausedServices.length > 0 && { pausedServices }),
      ...(first.length > 0 && { first }),
      ...(spec.startsAt !== undefined && { startsAt: spec.startsAt }),
      ...(this.unnotified.length > 0 && { unnotified: this.unnotified }),
    };
  }

  /** Immediately, also in the memo: for what a user has just requested, and will look for next. */
  show(state: CampaignState): void {
    this.state = state;
    upsertSearchAttributes([{ key: ATTRIBUTES.state, value: state }]);
    if (this.#written !== null && this.#written !== this.#fingerprint) this.#writeMemo();
    this.showDetails();
  }

  /** For the Temporal UI. */
  showDetails(): void {
    const { startedAt, spec } = this.#shown;
    setCurrentDetails(formatCampaignDetails(this.current, startedAt, spec.store));
  }

  /** Until the workflow ends: a campaign that is cancelled has progress too. */
  async keepMemo(): Promise<void> {
    this.#writeMemo();
    await CancellationScope.nonCancellable(async () => {
      for (;;) {
        await condition(() => this.#fingerprint !== this.#written);
        this.#writeMemo();
        await sleep(MEMO_INTERVAL_MS, { summary: 'until the progress is written again' });
      }
    });
  }

  #writeMemo(): void {
    this.#written = this.#fingerprint;
    upsertMemo({ [PROGRESS_MEMO]: this.current });
  }

  /** Differs when the progress differs, and is made without a walk over the items. */
  get #fingerprint(): string {
    const { spec, feeds, tally } = this.#shown;
    const { items, following, startsAt } = spec;
    const rows = feeds.map(({ open, held }) => `${open.size} ${held ?? ''}`);
    const pausedServices = this.#pausedWithRows().length;
    return [this.state, items, following, startsAt, tally.total, pausedServices, ...rows].join();
  }

  /** Kinds whose next row waits for the first ones. */
  #firstRows(): readonly FirstRows[] {
    const { breaker, feeds } = this.#shown;
    const { first: rows = 0 } = breaker;
    return feeds.flatMap(({ held: kind }) => (kind === null ? [] : [{ kind, rows }]));
  }

  /** Of the paused services those that have rows left. */
  #pausedWithRows(): readonly PausedService[] {
    const { breaker, feeds } = this.#shown;
    const withRows = feeds.filter(({ hasEnded }) => !hasEnded).map(({ lane }) => lane);
    return breaker.paused.filter(({ service }) => withRows.includes(service));
  }
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
  readonly ended = createEndedCounts();
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
    const known = this.#byKind.get(kind) ?? createEndedCounts();
    this.#byKind.set(kind, known);
    return known;
  }
}

function createEndedCounts(): Ended {
  return Object.fromEntries(FINAL_STATES.map((state) => [state, 0])) as Ended;
}

function append(list: RecentEnd[], end: RecentEnd, most: number): void {
  list.push(end);
  if (list.length > most) list.shift();
}
