/** Types of requests to the ledger and its answers. */
import type { Window } from '../budget/policy.ts';
import type { ServiceName } from '../domain/item.ts';
import type { Moment } from './steady-clock.ts';

/** The account that a submission is charged to. */
export interface Account {
  readonly service: ServiceName;
  /** The service's own address; for local services one that distinguishes those of two folders. */
  readonly address: string;
  /** Fingerprint of the token. */
  readonly credential: string;
}

/** One POST that needs a slot. */
export interface ReservationRequest extends Account {
  /** Unique for one POST. */
  readonly id: string;
  /** Of its credential; empty: no limit. */
  readonly windows: readonly Window[];
  /** The id of a POST of unknown fate: both create at most one job, and share its slot (budget/closing.ts). */
  readonly replaces?: string;
}

export type Reservation =
  /**
   * If the id was already charged, or was reserved by a process that never closed it, that POST may have been made: it
   * stays charged, and this reservation has its own slot.
   */
  | { readonly type: 'taken' }
  | {
      readonly type: 'full';
      /** How long to wait before another attempt, in ms, at least 1. */
      readonly retryAfterMs: number;
      /** Charges in the full window by other servers, folders or users of the token. */
      readonly byOthers: number;
      readonly because: Full;
      /** Absent unless `because` it is full. */
      readonly window?: Window;
    };

/**
 * `window`: the limit is reached. `rejected`: the service answered 429 to a process on this machine and its Retry-After
 * has not expired. `unknown`: the ledger was damaged, and earlier charges are unknown.
 */
type Full = 'window' | 'rejected' | 'unknown';

/** A submission as recorded in the ledger. */
export interface Charge {
  readonly id: string;
  readonly state: 'open' | 'charged';
  /** `sent` by this program; read from an output `tree`; reported by the `service` as a job from elsewhere. */
  readonly origin: 'sent' | 'tree' | 'service';
  /** Made by the requesting server, and not by another one on this machine. */
  readonly own: boolean;
  /** Elapsed (ms) since its answer, or since its reservation while it is open. */
  readonly ageMs: number;
  readonly remoteId: string | null;
}

/** An accepted job that is known from elsewhere. */
export interface KnownJob {
  readonly remoteId: string;
  /** Latest time at which the service accepted it, in ms since the epoch. */
  readonly closedAt: number;
}

/** Content of the answer to an accepted submission. */
export interface AcceptedAnswer {
  readonly remoteId?: string;
  /** Just before the first byte of the POST, in ms since the epoch. */
  readonly sentAt?: number;
  /** When its answer was complete; absent if there was none. */
  readonly answeredAt?: number;
  readonly rateLimit?: {
    /** X-RateLimit-Limit and X-RateLimit-Remaining; null if the answer had none. */
    readonly limit: number | null;
    readonly remaining: number | null;
    /** The configured windows of the credential: a report of a limit that none has is not evaluated. */
    readonly windows: readonly Window[];
  };
}

/** The answer to an accepted POST, as the process that sent it wrote it. */
export interface WrittenAnswer {
  readonly remoteId: string;
  /** When it was complete. */
  readonly at: Pick<Moment, 'run' | 'steadyMs'>;
  /** The same, and the first byte, by the wall clock (ms); for people. */
  readonly sentAt: number | null;
  readonly answeredAt: number | null;
}

/** Why a service answered 429 although the ledger had a slot. */
export type Rejection =
  /** The ledger was full as well (a limit was lowered), or there is no configured limit. */
  | 'explained'
  /** The service reports a limit below the configured one. */
  | 'lower-limit'
  /** Jobs that were not sent from this machine count as well. */
  | 'someone-else';

/** A 429 as shown to people. */
export interface SeenRejection extends Account {
  readonly type: Rejection;
  /** Elapsed since then, in ms. */
  readonly ageMs: number;
  readonly charged: number;
  readonly limit: number | null;
  readonly serviceLimit: number | null;
}
