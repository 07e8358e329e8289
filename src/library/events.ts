/** What is reported of a campaign while it runs: typed events, made from looks at it. */
import { noticesOf } from '../campaigns/budget-notices.ts';
import type { Observation } from '../campaigns/observe.ts';
import type { Sight } from '../campaigns/follow.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { RecentEnd } from '../domain/campaign.ts';
import type { Kind } from '../domain/item.ts';
import type { CampaignState, FinalState } from '../domain/states.ts';
import type { CampaignResult } from './result.ts';

/** How a rate limit stands. Several tokens of one service are several of these. */
export interface BudgetState {
  /** `molecules` or `predictions`. */
  readonly service: string;
  /** Host and path of the service, or `local`. */
  readonly address: string;
  /** Fingerprint of the token: tells tokens apart and cannot be turned back into one. */
  readonly credential: string;
  /** Jobs that may be accepted in any window; null without a limit. */
  readonly limit: number | null;
  /** Length of the rolling window, in ms. */
  readonly windowMs: number;
  /** Jobs that count at this moment. */
  readonly charged: number;
  /** Jobs that may be submitted at once; null without a limit. */
  readonly free: number | null;
  /** When the next slot becomes free, in ms since the epoch; null when that is not known. */
  readonly nextFreeAt: number | null;
}

/** The campaign was looked at, and something has changed since the last event of this type. */
export interface ProgressEvent {
  /** Tells the events apart. */
  readonly type: 'progress';
  /** Of the look, in ms since the epoch. */
  readonly at: number;
  /** State of the campaign. */
  readonly state: CampaignState;
  /** All rows of the campaign. */
  readonly total: number;
  /** Items that were started and have not ended. */
  readonly open: number;
  /** Open items that wait for a slot of the budget. */
  readonly waiting: number;
  /** Items that have ended, by state. */
  readonly ended: Readonly<Record<FinalState, number>>;
  /** The rate limits that the campaign draws on. */
  readonly budgets: readonly BudgetState[];
  /** What the campaign does not get past by itself, with the remedy; null where there is nothing. */
  readonly obstacle: string | null;
}

/**
 * An item has ended. A campaign that ends many items between two looks reports only the last of them: read all of them
 * from the tree with `openTree`.
 */
export interface ItemEvent {
  /** Tells the events apart. */
  readonly type: 'item';
  /** When it ended, in ms since the epoch. */
  readonly at: number;
  /** The item's id. */
  readonly id: string;
  /** What its input is. */
  readonly kind: Kind;
  /** How it ended. */
  readonly state: FinalState;
  /** Code of the error; null where it succeeded. */
  readonly code: string | null;
}

/** Text for people: something that the campaign waits for, or that was done on the way. */
export interface NoticeEvent {
  /** Tells the events apart. */
  readonly type: 'notice';
  /** One line. */
  readonly text: string;
}

/** The campaign cannot be looked at now; it is tried again until the signal is aborted. */
export interface UnreachableEvent {
  /** Tells the events apart. */
  readonly type: 'unreachable';
  /** Why, in one line. */
  readonly reason: string;
}

/** The campaign has ended, and its output tree is published. Always the last event. */
export interface EndedEvent {
  /** Tells the events apart. */
  readonly type: 'ended';
  /** As in campaign.json. */
  readonly result: CampaignResult;
}

/** All events, told apart by `type`. */
export type CampaignEvent = ProgressEvent | ItemEvent | NoticeEvent | UnreachableEvent | EndedEvent;

/** Makes events of looks: each change is reported once. */
export class EventSource {
  #progress = '';
  readonly #ends = new Set<string>();
  readonly #notices = new Set<string>();

  *of(sight: Sight): Generator<CampaignEvent> {
    if (sight.type === 'unseen') {
      yield { type: 'unreachable', reason: sight.reason };
      return;
    }
    const { observation } = sight;
    yield* this.#newNotices(observation);
    yield* this.#newEnds(observation);
    const event = progressOf(observation);
    const { at: _, ...rest } = event;
    const text = JSON.stringify(rest);
    if (text === this.#progress) return;
    this.#progress = text;
    yield event;
  }

  *#newNotices({ budgets }: Observation): Generator<NoticeEvent> {
    for (const { key, words } of budgets.flatMap(noticesOf)) {
      if (this.#notices.has(key)) continue;
      this.#notices.add(key);
      yield { type: 'notice', text: words };
    }
  }

  *#newEnds({ progress }: Observation): Generator<ItemEvent> {
    for (const end of progress.recent ?? []) {
      const key = `${end.id} ${end.at}`;
      if (this.#ends.has(key)) continue;
      this.#ends.add(key);
      yield itemEvent(end);
    }
  }
}

function itemEvent({ id, kind, at, state, code }: RecentEnd): ItemEvent {
  return { type: 'item', at, id, kind, state, code: code ?? null };
}

function progressOf({ at, progress, waiting, budgets, obstacle }: Observation): ProgressEvent {
  const { state, total, open, ended } = progress;
  return {
    type: 'progress',
    at,
    state,
    total,
    open,
    waiting,
    ended,
    budgets: budgets.flatMap(budgetStates),
    obstacle,
  };
}

function budgetStates({ service, address, credentials }: BudgetStatus): BudgetState[] {
  return credentials.map(({ credential, limit, windowMs, charged, free, nextFreeAt }) => ({
    service,
    address,
    credential,
    limit,
    windowMs,
    charged,
    free,
    nextFreeAt,
  }));
}
