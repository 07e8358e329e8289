/**
 * What a service can answer, as closed unions: both clients return these, the activities pass them on,
 * and the workflows decide by `type` alone. Plain data, so that it can stand in a Temporal history.
 */

import type { Kind } from './item.ts';

/** What the X-RateLimit headers said (contract of the prediction service, section 8). */
export interface RateLimitSeen {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Seconds until the window frees a slot, as the service puts it. */
  readonly resetAfterSeconds: number | null;
}

/**
 * Why a job was not taken on now. `blocked`: the service, or something in front of it, refuses us and not this row (401,
 * 403, a redirect, a web page); nobody is asked to do better than to wait, or to mend the configuration.
 */
export type NotNowReason = 'rate-limited' | 'unavailable' | 'unreachable' | 'blocked';

/** The answer to a POST of a job. */
export type SubmitOutcome =
  /** Any 2xx with an id. */
  | {
      readonly type: 'accepted';
      readonly remoteId: string;
      readonly rateLimit: RateLimitSeen | null;
      /** How long the service wants not to be asked about the job (ms); absent when it said nothing. */
      readonly retryAfterMs?: number;
    }
  /** The service names the row's own content as the reason: final for the item; its words are kept. */
  | { readonly type: 'refused'; readonly status: number; readonly message: string }
  /** Certainly not accepted, and worth another try later. */
  | {
      readonly type: 'notNow';
      readonly reason: NotNowReason;
      /** What the service ordered; null when it said nothing. */
      readonly retryAfterMs: number | null;
      readonly message: string;
      readonly rateLimit: RateLimitSeen | null;
      /** Of `blocked`: whom the answer is about, the credential (401) or everyone at this address. */
      readonly scope?: 'credential' | 'address';
      /** It was not sent because another submission had failed: says nothing new about the service. */
      readonly sentBack?: true;
      /**
       * Of `blocked`: a web page came with 200, and the service is well otherwise. A proxy has kept the job from it, or has
       * spoilt its answer: whether all submissions are answered so tells which (src/budget/doubt.ts).
       */
      readonly doubt?: true;
    }
  /** The job may or may not exist. */
  | { readonly type: 'unsure'; readonly message: string };

/**
 * When a POST was sent, and when its answer was complete. The service took the job on in between: these are the bounds
 * where it does not say when. ISO 8601, UTC, by the clock of the worker that sent it.
 */
export interface PostTimes {
  /** Just before the first byte. */
  readonly sentAt: string;
  readonly answeredAt: string;
}

/** The answer to a POST, with its times; they are absent where the worker died, and in histories without them. */
export type TimedOutcome =
  | Exclude<SubmitOutcome, { readonly type: 'accepted' | 'unsure' }>
  | (Extract<SubmitOutcome, { readonly type: 'accepted' }> & Partial<PostTimes>)
  | (Extract<SubmitOutcome, { readonly type: 'unsure' }> & Partial<Pick<PostTimes, 'sentAt'>>);

/** The service could not be asked: this says nothing about the job. */
export interface Unavailable {
  readonly type: 'unavailable';
  readonly message: string;
  /** How long the service wants to be left alone (ms); null when it said nothing. */
  readonly retryAfterMs: number | null;
  readonly refusesUs?: boolean;
  /** Others were refused in the same way. */
  readonly uniform?: boolean;
}

/** The answer to a look-up of a job by its unique name. */
export type FindOutcome =
  | { readonly type: 'found'; readonly remoteId: string }
  | { readonly type: 'absent' }
  /** The service cannot tell: the molecule service identifies nothing. */
  | { readonly type: 'unsupported' }
  | Unavailable;

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
      /** When to ask again (ms), where all jobs of the service share a pace; above the floor. */
      readonly nextMs?: number;
      readonly progress: number | null;
      readonly statusMessage: string | null;
      readonly timing: Timing | null;
    }
  /** `retryAfterMs`: how long the service wants to be left alone before the download (ms). */
  | { readonly type: 'finished'; readonly retryAfterMs?: number }
  /** The service says that the job failed: its words, letter by letter. */
  | { readonly type: 'failed'; readonly message: string; readonly timing: Timing | null }
  /** 404 for a job that was accepted. */
  | { readonly type: 'lost'; readonly message: string; readonly retryAfterMs?: number }
  /** 5xx, 429, no connection: says nothing about the job. */
  | Unavailable
  /** Not asked at all: it is not this job's turn, or the service refuses us. */
  | { readonly type: 'postponed'; readonly message: string; readonly delayMs: number };

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
  /** `unusable`: it answered 200, with something that is no file: a page, a coding nobody asked for. */
  | (Unavailable & { readonly unusable?: boolean });

/** A job that a service holds for our token, as its list of past results tells. */
export interface PastJob {
  readonly kind: Kind;
  /** As the service writes it; may be none that can be asked for. */
  readonly remoteId: string;
  /** The name it was submitted under. */
  readonly jobName: string | null;
  /** In the service's words: `enqueued`, `RUNNING`, `FINISHED`, `FAILED`. */
  readonly state: string | null;
  /** ISO 8601, as is the next; null where the service does not tell. */
  readonly submittedAt: string | null;
  readonly finishedAt: string | null;
}

/** The answer to the question for all jobs of our token. */
export type ListOutcome =
  | {
      readonly type: 'listed';
      readonly jobs: readonly PastJob[];
      /** A part of the list that was not to be had, and why; absent where all of it was. */
      readonly missing?: string;
    }
  /** The service has no such list. */
  | { readonly type: 'unsupported'; readonly message: string }
  | {
      readonly type: 'unavailable';
      readonly message: string;
      readonly retryAfterMs: number | null;
    };

/** Whether a service takes a job with these options, where its contract does not say so: asked before it is sent. */
export type OfferOutcome =
  | { readonly type: 'offered' }
  /** Final for the item. */
  | {
      readonly type: 'notOffered';
      readonly code: 'CHARGE_METHOD_NOT_OFFERED';
      readonly message: string;
      readonly remedy: string;
    }
  | Extract<PingOutcome, { readonly type: 'unavailable' }>;

/** Whether a service answers at all: asked before the next submission once it was down. */
export type PingOutcome =
  | { readonly type: 'well' }
  | {
      readonly type: 'unavailable';
      readonly message: string;
      readonly retryAfterMs: number | null;
      readonly refusesUs?: boolean;
    };
