/**
 * The possible answers of a service, as closed unions: both clients return these, the activities pass them on, and the
 * workflows decide by `type` alone. Plain data, so that it can be stored in a Temporal history.
 */
import type { Kind } from './campaign.ts';

/** The content of the X-RateLimit headers (contract of the prediction service, section 8). */
export interface RateLimitSeen {
  readonly limit: number | null;
  readonly remaining: number | null;
}

/**
 * Why a job was not accepted now. `blocked`: the service, or something in front of it, refuses us and not this row
 * (401, 403, a redirect, a web page); the only remedies are to wait or to correct the configuration.
 */
export type NotNowReason = 'rate-limited' | 'unavailable' | 'unreachable' | 'blocked';

/** The answer to a POST of a job. */
export type SubmitOutcome =
  /** Any 2xx with an id. */
  | {
      readonly type: 'accepted';
      readonly remoteId: string;
      readonly rateLimit: RateLimitSeen | null;
      /** How long the service accepts no request about the job (ms); absent if it requested no wait. */
      readonly retryAfterMs?: number;
    }
  /** The service gives the row's own content as the reason: final for the item; its message is kept. */
  | {
      readonly type: 'refused';
      readonly status: number;
      readonly message: string;
      /** A job of this name exists already. */
      readonly taken?: true;
    }
  /** Certainly not accepted, and may be retried later. */
  | {
      readonly type: 'notNow';
      readonly reason: NotNowReason;
      /** The delay that the service requested; null if it requested none. */
      readonly retryAfterMs: number | null;
      readonly message: string;
      readonly rateLimit: RateLimitSeen | null;
      /**
       * For `blocked`: a web page came with 200, and the service is otherwise well. A proxy has blocked the job or
       * corrupted its answer: if all submissions get such answers, it was blocked (src/budget/closing.ts).
       */
      readonly isUncertain?: true;
    }
  /** The job may or may not exist. */
  | { readonly type: 'unsure'; readonly message: string };

/**
 * When a POST was sent, and when its answer was complete. The service accepted the job in between: these are the bounds
 * if it does not report the time. ISO 8601, UTC, by the clock of the worker that sent it.
 */
export interface PostTimes {
  /** Just before the first byte. */
  readonly sentAt: string;
  readonly answeredAt: string;
}

/** The answer to a POST, with its times; they are absent if the worker died, and in histories without them. */
export type TimedOutcome =
  | Exclude<SubmitOutcome, { readonly type: 'accepted' | 'unsure' }>
  | (Extract<SubmitOutcome, { readonly type: 'accepted' }> & Partial<PostTimes>)
  | (Extract<SubmitOutcome, { readonly type: 'unsure' }> & Partial<Pick<PostTimes, 'sentAt'>>);

/** The service was unavailable: this says nothing about the job. */
export interface Unavailable {
  readonly type: 'unavailable';
  readonly message: string;
  /** How long the service accepts no requests (ms); null if it requested no wait. */
  readonly retryAfterMs: number | null;
  /** The answer concerns the client and applies to every job: a token, a proxy, a firewall, a wrong address. */
  readonly refusesUs?: boolean;
  /** Others were refused in the same way. */
  readonly uniform?: boolean;
  /** Requests about another job were answered a moment ago, so that this answer may concern this job alone. */
  readonly othersWell?: boolean;
  /** The service gave a proper answer about the job, and nobody knows what it means. */
  readonly unreadable?: boolean;
}

/** The answer to a look-up of a job by its unique name. */
export type FindOutcome =
  | { readonly type: 'found'; readonly remoteId: string }
  /** `settlesMs`: a list may show a job only this long after its submission (ms). */
  | { readonly type: 'absent'; readonly settlesMs?: number }
  /** The same request gives the same job, for this long after it was first sent (ms). */
  | { readonly type: 'repeat'; readonly withinMs: number }
  /** The service cannot answer this: nothing finds a job without its id. */
  | { readonly type: 'unsupported' }
  | Unavailable;

/** The parts of the service's timing block (contract 2.4) that we use; null if absent. */
export interface Timing {
  readonly queuedAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly queueWaitSeconds: number | null;
  readonly elapsedSeconds: number | null;
  readonly leftSeconds: number | null;
  readonly timeLimitSeconds: number | null;
  readonly heartbeatAgeSeconds: number | null;
}

/** What a service that reports no timing has said. */
export const NO_TIMING: Timing = {
  queuedAt: null,
  startedAt: null,
  finishedAt: null,
  queueWaitSeconds: null,
  elapsedSeconds: null,
  leftSeconds: null,
  timeLimitSeconds: null,
  heartbeatAgeSeconds: null,
};

/** The answer to a poll of a job. */
export type PollOutcome =
  | {
      readonly type: 'running';
      /** Minimum delay before the next poll, from Retry-After. */
      readonly retryAfterMs: number | null;
      readonly progress: number | null;
      readonly statusMessage: string | null;
      readonly timing: Timing | null;
    }
  /** `retryAfterMs`: how long the service accepts no download (ms). */
  | { readonly type: 'finished'; readonly retryAfterMs?: number }
  /** The service says that the job failed: its message, unchanged. */
  | { readonly type: 'failed'; readonly message: string; readonly timing: Timing | null }
  /** No such job, although it was accepted; `deleted`: no longer, and that is final. */
  | {
      readonly type: 'unknown' | 'deleted';
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** 5xx, 429, no connection: says nothing about the job. */
  | Unavailable
  /** Not polled: it is not this job's turn, or the service refuses us. */
  | {
      readonly type: 'postponed';
      readonly message: string;
      readonly delayMs: number;
      readonly refusesUs?: true;
    };

/** A file that an ended job offers, by the name that its kind gives it. */
export type ArtefactName = string;

/** The answer to a download. The body is read once, to the end, or discarded by aborting. */
export type FetchOutcome =
  | {
      readonly type: 'found';
      readonly contentType: string | null;
      /** Bytes announced by the service; null if it announced none. */
      readonly contentLength: number | null;
      /** Without secrets; the same number of bytes as received. */
      readonly body: AsyncIterable<Uint8Array>;
      /** Lengths in bytes of the secrets that were overwritten; complete once the body was read. */
      readonly hidden: readonly number[];
      /** Of an artefact that comes in pages: the next one, by the bytes of this one; null if it is the last. */
      readonly nextPage?: (bytes: Uint8Array) => Promise<FetchOutcome> | null;
    }
  /** The announced number of bytes is above the limit, and none was read. */
  | { readonly type: 'tooLarge'; readonly message: string }
  /** The service does not offer this file for this job. */
  | { readonly type: 'absent'; readonly status: number; readonly message: string }
  /** `unusable`: it answered 200, but not with the file: a page, or an unrequested content coding. */
  | (Unavailable & { readonly unusable?: boolean });

/** A job that a service has for our token, according to its list of past results. */
export interface PastJob {
  readonly kind: Kind;
  /** As the service writes it; it may be unusable for polling. */
  readonly remoteId: string;
  /** The name it was submitted under. */
  readonly jobName: string | null;
  /** As the service reports it: `enqueued`, `RUNNING`, `FINISHED`, `FAILED`. */
  readonly state: string | null;
  /** ISO 8601, like the next; null if the service does not report it. */
  readonly submittedAt: string | null;
  readonly finishedAt: string | null;
}

/** The answer to a request for all jobs of our token. */
export type ListOutcome =
  | { readonly type: 'listed'; readonly jobs: readonly PastJob[] }
  /** The service has no such list. */
  | { readonly type: 'unsupported'; readonly message: string }
  | Unavailable;

/** Whether a service answers at all: requested before the next submission after it was down. */
export type PingOutcome = { readonly type: 'well' } | Unavailable;
