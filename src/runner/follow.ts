/** Follows a campaign until it ends, also when Temporal or the host goes away in between: what is seen, as events. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { BudgetStatus } from '../budget/status.ts';
import type { RecentEnd } from '../domain/campaign.ts';
import { type ErrorCode, HundredfoldError, toReason } from '../domain/errors.ts';
import { Deadline } from '../domain/process.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';
import type { Session } from '../temporal/host/session.ts';
import { type CampaignObservation, type Observed, Observer } from './observe.ts';
import { findFullDisk } from './obstacles.ts';
import type { CampaignResult } from './tree.ts';

/** The campaign was polled, once a second. */
export interface ProgressEvent extends CampaignObservation {
  /** Type of the event. */
  readonly type: 'progress';
}

/**
 * An item has ended. If many items end between two polls, only the last of them are reported: read all of them from the
 * tree with `openTree`.
 */
export interface ItemEvent extends RecentEnd {
  /** Type of the event. */
  readonly type: 'item';
}

/** A message for people: something that the campaign waits for, or an action it took. */
export interface NoticeEvent {
  /** Type of the event. */
  readonly type: 'notice';
  /** One line. */
  readonly text: string;
}

/** The campaign cannot be reached now; polling continues until the signal is aborted. */
export interface UnreachableEvent {
  /** Type of the event. */
  readonly type: 'unreachable';
  /** Why, in one line. */
  readonly reason: string;
}

/** The campaign has ended, and its output tree is published. Always the last event. */
export interface EndedEvent {
  /** Type of the event. */
  readonly type: 'ended';
  /** As in campaign.json. */
  readonly result: CampaignResult;
}

/** All events; `type` is the discriminator. */
export type CampaignEvent = ProgressEvent | ItemEvent | NoticeEvent | UnreachableEvent | EndedEvent;

type SeenEvent = Exclude<CampaignEvent, EndedEvent>;

/** Between two polls (ms). */
const INTERVAL_MS = 1_000;

/** A poll may fail while a worker starts or a host changes; a longer series of failures is reported. */
const FAILURES_UNREPORTED = 6;
const AFTER_FAILURE_MS = 500;

/** Follows a campaign. */
export class Follower {
  readonly #session: Session;
  readonly #name: string;
  readonly #observer: Observer;
  /** Keys of the ends and notices that were reported: each is reported once. */
  readonly #reported = new Set<string>();
  #waking = new AbortController();

  constructor(session: Session, followed: Observed) {
    this.#session = session;
    this.#name = followed.name;
    this.#observer = new Observer(session, followed);
  }

  /** Ends the wait for the next poll, because something has changed. */
  wake(): void {
    this.#waking.abort();
  }

  /**
   * Ends with the poll that finds the end of the campaign, or when the signal is aborted; the campaign is not touched.
   * @throws HundredfoldError `CAMPAIGN_UNKNOWN`: Temporal no longer has it; `CAMPAIGN_UNREPLAYABLE`: no worker here can
   * continue it
   */
  async *events(signal: AbortSignal): AsyncGenerator<SeenEvent, void, undefined> {
    // Read each time: it changes while a poll is in progress.
    const isAborted = () => signal.aborted;
    let failures = 0;
    while (!isAborted()) {
      const seen = await this.#look();
      if (seen.type === 'progress') {
        if (isAborted() && !seen.ended) return;
        yield seen;
        yield* this.#listNews(seen);
        if (seen.ended) return;
        failures = 0;
        await this.#wait(INTERVAL_MS, signal);
      } else {
        if (failures >= FAILURES_UNREPORTED && !isAborted()) yield seen;
        failures += 1;
        if (isAborted()) return;
        // Temporal is away, or the host that we joined has gone and another must take over.
        await recover(this.#session);
        await this.#wait(AFTER_FAILURE_MS, signal);
      }
    }
  }

  *#listNews(seen: ProgressEvent): Generator<SeenEvent> {
    for (const { key, words } of seen.budgets.flatMap(listNotices))
      if (this.#isNew(key)) yield { type: 'notice', text: words };
    for (const end of seen.progress.recent ?? [])
      if (this.#isNew(`end ${end.id} ${end.at}`)) yield { type: 'item', ...end };
  }

  #isNew(key: string): boolean {
    const isKnown = this.#reported.has(key);
    this.#reported.add(key);
    return !isKnown;
  }

  async #look(): Promise<ProgressEvent | UnreachableEvent> {
    const session = this.#session;
    // A killed host leaves its server behind, which answers as if all were well.
    if (session.isAbandoned === true)
      return createUnreachable('the command that ran the server has ended');
    try {
      return { type: 'progress', ...(await this.#observer.look()) };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw createForgottenError(this.#name, error);
      // At a Temporal of your own, workers of another version may continue it.
      if (hasCode(error, 'CAMPAIGN_UNREPLAYABLE') && session.role !== 'remote') throw error;
      // On a full disk, the embedded server fails without the reason.
      const { embeddedDir } = session;
      const reason = embeddedDir === undefined ? null : await findFullDisk(embeddedDir);
      return reason === null ? createUnreachable(toReason(error)) : { type: 'unreachable', reason };
    }
  }

  async #wait(ms: number, stop: AbortSignal): Promise<void> {
    this.#waking = new AbortController();
    const signal = AbortSignal.any([stop, this.#waking.signal]);
    // It fails only when it is aborted.
    await delay(ms, undefined, { signal }).catch(() => undefined);
  }
}

function createUnreachable(why: string): UnreachableEvent {
  const reason = `Cannot read the state of the campaign (${why}); trying again.`;
  return { type: 'unreachable', reason };
}

function hasCode(error: unknown, ...codes: readonly ErrorCode[]): boolean {
  return error instanceof HundredfoldError && codes.includes(error.code);
}

/** Another command has created a new database: the previous one was damaged, or the clock was set back. */
function createForgottenError(name: string, cause: unknown): HundredfoldError {
  return new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `Temporal has a new database and no longer knows the campaign ${name}`,
    'Run its "hundredfold run" command again: finished items are kept, and nothing is submitted twice.',
    { cause },
  );
}

/** A killed server is back within seconds; if a remote one is away for longer, this is reported. */
const TIMEOUT_MS = 60_000;

/** Then something prevents it from running, and its error is reported. */
const MAX_DEATHS = 5;
const BETWEEN_MS = 1_000;

/** Returns when Temporal can be used again. Throws if it cannot come back. */
async function recover(session: Session): Promise<void> {
  for (let deaths = 1; ; deaths += 1) {
    try {
      await session.recover();
      return;
    } catch (error) {
      // A server that dies again while it is being started or taken over: once more.
      const hasDied =
        isTemporalAway(error) || hasCode(error, 'TEMPORAL_NOT_STARTED', 'TEMPORAL_UNREACHABLE');
      if (deaths >= MAX_DEATHS || !hasDied) throw error;
      await delay(BETWEEN_MS);
    }
  }
}

/** @param ask may be called again although an earlier call has done its work: starting, which finds what runs. */
export async function retryWhileAway<T>(
  session: Session,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(TIMEOUT_MS);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTemporalAway(error) || signal.aborted || deadline.hasPassed) throw error;
      await recover(session);
    }
  }
}

/* What a budget tells people */

interface BudgetNotice {
  /** The same notice has the same key: it is shown once. */
  readonly key: string;
  readonly words: string;
}

export function listNotices({
  service,
  credential,
  strangers,
  use,
  rebuilt,
}: BudgetStatus): BudgetNotice[] {
  const notices: BudgetNotice[] = [];
  if (rebuilt)
    notices.push({
      key: `rebuilt ${service} ${rebuilt.at}`,
      words: `The budget of ${service} was restarted (${rebuilt.reason}). Every job that may still count is counted.`,
    });
  if (strangers) {
    const times = strangers.count === 1 ? 'once' : `${strangers.count} times`;
    notices.push({
      key: `strangers ${service} ${credential}`,
      words:
        `${service} answered 429 ${times} although hundredfold was below the limit: someone else uses this token ` +
        `(${credential}), or the service allows less than budget.limit says.`,
    });
  }
  for (const { campaign, heldBecause } of use) {
    if (heldBecause !== undefined)
      notices.push({
        key: `held ${service} ${campaign} ${heldBecause}`,
        words: `${campaign} waits: ${heldBecause}`,
      });
  }
  return notices;
}
