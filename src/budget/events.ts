/** All that can happen to a budget. */
import type { RateLimitSeen } from '../domain/outcomes.ts';
import type { Request } from './lanes.ts';
import type { Limit } from './window.ts';

/** How a submission ended, seen from the budget. */
export type Closing =
  | { readonly type: 'accepted'; readonly rateLimit: RateLimitSeen | null }
  /** Certainly no job, and final for the item. */
  | { readonly type: 'refused' }
  /** Certainly no job; the item keeps its turn and the service is left alone for a while. */
  | {
      readonly type: 'notNow';
      readonly reason: 'rate-limited' | 'unavailable' | 'unreachable';
      readonly retryAfterMs: number | null;
      readonly message: string;
    }
  /** Perhaps a job: charged. */
  | {
      readonly type: 'unsure';
      /** Why the service is to be left alone for a while; absent when it was not the service that failed. */
      readonly unwell?: string;
    };

export type BudgetEvent =
  | {
      readonly type: 'configure';
      readonly credential: string;
      readonly credentialLimit: Limit;
      readonly addressLimit: Limit;
    }
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'withdraw'; readonly item: string }
  | { readonly type: 'pause'; readonly campaign: string; readonly paused: boolean }
  | { readonly type: 'close'; readonly item: string; readonly closing: Closing };
