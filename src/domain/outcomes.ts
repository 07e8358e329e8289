/**
 * What a service can answer, as closed unions: both clients return these, the activities pass them on,
 * and the workflows decide by `type` alone. Plain data, so that it can stand in a Temporal history.
 */

/** What the X-RateLimit headers said (contract of the prediction service, section 8). */
export interface RateLimitSeen {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Seconds until the window frees a slot, as the service puts it. */
  readonly resetAfterSeconds: number | null;
}

/** The answer to a POST of a job. */
export type SubmitOutcome =
  /** Any 2xx with an id. */
  | {
      readonly type: 'accepted';
      readonly remoteId: string;
      readonly rateLimit: RateLimitSeen | null;
    }
  /** 4xx other than 429: final for the item; the service's words are kept. */
  | { readonly type: 'refused'; readonly status: number; readonly message: string }
  /** Certainly not accepted, and worth another try later. */
  | {
      readonly type: 'notNow';
      readonly reason: 'rate-limited' | 'unavailable' | 'unreachable';
      /** What the service ordered; null when it said nothing. */
      readonly retryAfterMs: number | null;
      readonly message: string;
      readonly rateLimit: RateLimitSeen | null;
    }
  /** The job may or may not exist. */
  | { readonly type: 'unsure'; readonly message: string };

/** The answer to a look-up of a job by its unique name. */
export type FindOutcome =
  | { readonly type: 'found'; readonly remoteId: string }
  | { readonly type: 'absent' }
  /** The service cannot tell: the molecule service identifies nothing. */
  | { readonly type: 'unsupported' }
  | {
      readonly type: 'unavailable';
      readonly message: string;
      readonly retryAfterMs: number | null;
    };

/** The timing block of the service (contract 2.4), what we use of it; null where it was not given. */
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

/** The answer to a question after a job's progress. */
export type PollOutcome =
  | {
      readonly type: 'running';
      /** Floor for the next question, from Retry-After. */
      readonly retryAfterMs: number | null;
      readonly progress: number | null;
      readonly statusMessage: string | null;
      readonly timing: Timing | null;
    }
  | { readonly type: 'finished' }
  /** The service says that the job failed: its words, letter by letter. */
  | { readonly type: 'failed'; readonly message: string; readonly timing: Timing | null }
  /** 404 for a job that was accepted. */
  | { readonly type: 'lost'; readonly message: string }
  /** 5xx, 429, no connection: says nothing about the job. */
  | {
      readonly type: 'unavailable';
      readonly message: string;
      readonly retryAfterMs: number | null;
    };

/** A file that a finished job offers. */
export type ArtefactName =
  'record' | 'result' | 'history' | 'csv' | 'metadata' | 'distributions' | ExtraFormat;

/** Download formats that are fetched on request only (contract of the prediction service, 4.6). */
export const EXTRA_FORMATS = ['json', 'input'] as const;
export type ExtraFormat = (typeof EXTRA_FORMATS)[number];

/** The answer to a download. The body is read once, to the end, or thrown away by breaking off. */
export type FetchOutcome =
  | {
      readonly type: 'found';
      readonly contentType: string | null;
      /** Bytes announced by the service; null when it said nothing. */
      readonly contentLength: number | null;
      /** Without secrets; as many bytes as came. */
      readonly body: AsyncIterable<Uint8Array>;
      /** Lengths in bytes of the secrets that were overwritten; complete once the body was read. */
      readonly hidden: readonly number[];
    }
  /** More bytes than are allowed were announced, and none was read. */
  | { readonly type: 'tooLarge'; readonly message: string }
  /** The service does not offer this file for this job. */
  | { readonly type: 'absent'; readonly status: number; readonly message: string }
  | {
      readonly type: 'unavailable';
      readonly message: string;
      readonly retryAfterMs: number | null;
      /** It answered 200, with something that is no file: a page, a coding nobody asked for. */
      readonly unusable?: boolean;
    };

/** Whether a service answers at all: asked before the next submission once it was down. */
export type PingOutcome =
  | { readonly type: 'well' }
  | {
      readonly type: 'unavailable';
      readonly message: string;
      readonly retryAfterMs: number | null;
    };
