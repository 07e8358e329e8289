/** Input and result of the submit activity, which the budget runs. */
import type { Policy } from '../budget/policy.ts';
import type { Closing, UnsettledResult } from '../budget/events.ts';
import type { JobReference, Request, Waiting } from '../budget/request.ts';
import type { ItemEnd, ItemLaunch } from '../domain/campaign.ts';
import type { TimedOutcome } from '../domain/outcomes.ts';

/** Enough to find the job of an item on disk and send it. */
export interface ItemJob extends JobReference {
  readonly kind: string;
  readonly store: string;
  /** Id of the output tree. */
  readonly tree: string;
  /** For the start of the item's workflow when the submission is answered. */
  readonly launch: ItemLaunch;
}

/** An item that waits to be submitted. */
export type ItemRequest = Request<ItemJob>;

export interface SubmitRequest extends Waiting<ItemJob> {
  /** The slot is free from this time of the server on (ms). */
  readonly notBefore: number;
  /** The run of the budget whose clock was read for the grant: after a reset, nothing is sent in another one. */
  readonly readIn: string;
  /** The service was down: a harmless request is sent before the job. */
  readonly probe: boolean;
  /** The token of the request was refused with 401: the one that the service is configured with now may be used. */
  readonly mayReplace?: true;
  /** The service may have the job, from a submission that was answered with a web page: it is not sent again. */
  readonly inDoubt?: true;
  /** Of its credential, as the budget knows it now. */
  readonly policy: Policy;
}

/** What the budget receives about a submission. */
export type SubmitAnswer = SubmitResult & {
  /** The activity has notified the item, so the budget need not. */
  readonly told?: true;
};

/** A submission's end; `unable` is ours: nothing was sent, because the input could not be read. */
export type SubmitResult =
  | Extract<TimedOutcome, { readonly type: 'notNow' }>
  /** `replaced`: with another token than that of the request, which the service had refused. */
  | (Extract<TimedOutcome, { readonly type: 'accepted' }> & {
      readonly replaced?: true;
      /** By a look-up, after a submission of unknown fate. */
      readonly found?: true;
      /** The answer was complete so long before the end of the activity (ms), or longer. */
      readonly agoMs?: number;
    })
  | UnsettledResult
  | { readonly type: 'unable'; readonly code: string; readonly message: string }
  /** Nothing was sent, and it is tried again after `delayMs`: neither the service nor the item is the reason. */
  | Extract<Closing, { readonly type: 'deferred' }>
  | OverResult
  /** Nothing was sent: the campaign that requested it has ended. */
  | { readonly type: 'unwanted'; readonly message: string };

/** Nothing more is sent: the item has this end. */
export interface OverResult {
  readonly type: 'over';
  readonly end: ItemEnd;
}

/** With these, an item begins. */
export type SettledResult = Extract<
  SubmitResult,
  { readonly type: 'accepted' | 'over' | 'unable' }
>;
