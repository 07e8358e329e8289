/** What the ledger is asked and what it answers. */
import type { Limit } from '../budget/window.ts';
import type { ServiceName } from '../domain/item.ts';

/** Whom a submission is charged to. */
export interface Account {
  readonly service: ServiceName;
  /** The service's own address; for local services one that tells those of two folders apart. */
  readonly address: string;
  /** Fingerprint of the token. */
  readonly credential: string;
}

/** The limits that hold for a submission: its credential's, and the address's, which counts all credentials. */
export interface Windows {
  readonly credential: Limit;
  readonly address: Limit;
}

export interface Submission extends Account {
  /** Unique for one POST. */
  readonly id: string;
  readonly windows: Windows;
}

export type Reservation =
  | {
      readonly type: 'taken';
      /**
       * True when the id was reserved before by a process that never closed it, or was charged: that POST may have
       * been made. It stays charged, and this reservation has a slot of its own.
       */
      readonly repeated: boolean;
    }
  | {
      readonly type: 'full';
      /** How long until it is worth another try, in ms, at least 1. */
      readonly retryAfterMs: number;
      /** Charges in the full window that other servers, folders or users of the token made. */
      readonly byOthers: number;
      readonly because: Full;
    };

/**
 * `window`: as many are charged as the limit allows. `rejected`: the service answered 429 to someone on this machine
 * and its Retry-After is not over. `unknown`: the ledger was damaged, and what was charged before is not known.
 */
export type Full = 'window' | 'rejected' | 'unknown';

/** A submission as the ledger holds it. */
export interface Charge {
  readonly id: string;
  readonly state: 'open' | 'charged';
  /** `sent` by this program; read from an output `tree`; told by the `service` as a job of somebody else. */
  readonly origin: 'sent' | 'tree' | 'service';
  /** Made by the server that asks, and not by another one on this machine. */
  readonly own: boolean;
  /** Elapsed (ms) since its answer, or since its reservation while it is open. */
  readonly ageMs: number;
  readonly remoteId: string | null;
}

/** An accepted job that is known from elsewhere. */
export interface KnownJob {
  readonly remoteId: string;
  /** When the service had accepted it at the latest, in ms since the epoch. */
  readonly closedAt: number;
}

/** What the answer to an accepted submission told. */
export interface Answer {
  readonly remoteId?: string;
  /** Just before the first byte of the POST, in ms since the epoch. */
  readonly sentAt?: number;
  /** When its answer was complete; left out where there was none. */
  readonly answeredAt?: number;
  readonly rateLimit?: {
    /** X-RateLimit-Limit and X-RateLimit-Remaining; null where the answer had none. */
    readonly limit: number | null;
    readonly remaining: number | null;
    /** The limit of the credential as configured: where the service names another, nothing is read from it. */
    readonly configured: Limit;
  };
}

/** Why a service answered 429 although the ledger had a slot. */
export type Rejection =
  /** The ledger was full as well (a limit was lowered), or no limit is configured. */
  | { readonly type: 'explained' }
  /** The service names a limit below the configured one. */
  | { readonly type: 'lower-limit'; readonly limit: number; readonly serviceLimit: number }
  /** Jobs that nobody on this machine has sent count as well. */
  | { readonly type: 'someone-else'; readonly charged: number; readonly limit: number };

/** A 429 as it is shown to people. */
export interface SeenRejection extends Account {
  readonly type: Rejection['type'];
  /** Elapsed since, in ms. */
  readonly ageMs: number;
  readonly charged: number;
  readonly limit: number | null;
  readonly serviceLimit: number | null;
}
