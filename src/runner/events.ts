/** Typed events of a running campaign, made by comparing successive polls. */
import type { BudgetStatus } from '../budget/status.ts';
import type { RecentEnd } from '../domain/campaign.ts';
import type { Kind, CampaignState, FinalState } from '../domain/item.ts';
import type { Sight } from './follow.ts';
import type { CampaignObservation } from './observe.ts';
import type { CampaignResult } from './tree.ts';

/** State of a rolling window. */
interface WindowState {
  /** Jobs that may be accepted in any stretch of `windowMs`. */
  readonly limit: number;
  /** Length of the window, in ms. */
  readonly windowMs: number;
  /** Jobs charged at this moment. */
  readonly charged: number;
}

/** State of a rate limit: of one credential of a service. */
export interface BudgetState {
  /** `molecules` or `predictions`. */
  readonly service: string;
  /** Host and path of the service, or `local`. */
  readonly address: string;
  /** Fingerprint of the token: identifies the token without revealing it. */
  readonly credential: string;
  /** The rolling windows, which hold all at once; empty without a limit. */
  readonly windows: readonly WindowState[];
  /** Jobs that may be submitted now; null without a limit. */
  readonly free: number | null;
  /** When the next slot becomes free, in ms since the epoch; null when unknown. */
  readonly nextFreeAt: number | null;
}

/** The campaign was polled, and something has changed since the last event of this type. */
export interface ProgressEvent {
  /** Type of the event. */
  readonly type: 'progress';
  /** Time of the poll, in ms since the epoch. */
  readonly at: number;
  /** State of the campaign. */
  readonly state: CampaignState;
  /** All rows of the campaign. */
  readonly total: number;
  /** Items that were started and have not ended. */
  readonly open: number;
  /** Open items waiting for a slot of the budget. */
  readonly waiting: number;
  /** Items that have ended, by state. */
  readonly ended: Readonly<Record<FinalState, number>>;
  /** The rate limits that the campaign uses; at first empty, until its budgets have started. */
  readonly budgets: readonly BudgetState[];
  /** What blocks the campaign until the user acts, with the remedy; null if nothing does. */
  readonly obstacle: string | null;
}

/**
 * An item has ended. If many items end between two polls, only the last of them are reported: read all of them from the
 * tree with `openTree`.
 */
export interface ItemEvent {
  /** Type of the event. */
  readonly type: 'item';
  /** When it ended, in ms since the epoch. */
  readonly at: number;
  /** The item's id. */
  readonly id: string;
  /** What its input is. */
  readonly kind: Kind;
  /** How it ended. */
  readonly state: FinalState;
  /** Code of the error; null if it succeeded. */
  readonly code: string | null;
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

/** Turns polls into events: each change is reported once. */
export class EventSource {
  #progress = '';
  readonly #ends = new Set<string>();
  readonly #notices = new Set<string>();

  *of(sight: Sight): Generator<CampaignEvent> {
    if (sight.type === 'unseen') {
      yield { type: 'unreachable', reason: sight.obstacle ?? sight.reason };
      return;
    }
    const { observation } = sight;
    yield* this.#newNotices(observation);
    yield* this.#newEnds(observation);
    const event = toProgressEvent(observation);
    const { at: _, ...rest } = event;
    const text = JSON.stringify(rest);
    if (text === this.#progress) return;
    this.#progress = text;
    yield event;
  }

  *#newNotices({ budgets }: CampaignObservation): Generator<NoticeEvent> {
    for (const { key, words } of budgets.flatMap(listNotices)) {
      if (this.#notices.has(key)) continue;
      this.#notices.add(key);
      yield { type: 'notice', text: words };
    }
  }

  *#newEnds({ progress }: CampaignObservation): Generator<ItemEvent> {
    for (const end of progress.recent ?? []) {
      const key = `${end.id} ${end.at}`;
      if (this.#ends.has(key)) continue;
      this.#ends.add(key);
      yield toItemEvent(end);
    }
  }
}

function toItemEvent({ id, kind, at, state, code }: RecentEnd): ItemEvent {
  return { type: 'item', at, id, kind, state, code: code ?? null };
}

function toProgressEvent({
  at,
  progress,
  waiting,
  budgets,
  obstacle,
}: CampaignObservation): ProgressEvent {
  const { state, total, open, ended } = progress;
  return {
    type: 'progress',
    at,
    state,
    total,
    open,
    waiting,
    ended,
    budgets: budgets.map(toBudgetState),
    obstacle,
  };
}

function toBudgetState(budget: BudgetStatus): BudgetState {
  const { service, address, credential, windows, free, nextFreeAt } = budget;
  return {
    service,
    address,
    credential,
    windows: windows.map(({ limit, windowMs, charged }) => ({ limit, windowMs, charged })),
    free,
    nextFreeAt,
  };
}

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
