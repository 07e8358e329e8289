/**
 * What a service reports about the remaining budget (contract of the prediction service, section 8: headers; section 7:
 * the body of 429). The other service's contract shows nothing, but it may still be sent.
 */
import type { RateLimitSeen } from '../domain/outcomes.ts';
import { asObject } from '../results/json.ts';
import { looseNumber } from './tolerant.ts';

/** A reset value above this is a point in time (s since the epoch), not a wait: the contract shows neither. */
const EPOCH_SECONDS = 1_000_000_000;

export function readRateLimit(headers: Headers, json: unknown): RateLimitSeen | null {
  const body = asObject(json) ?? {};
  const limit = header(headers, 'x-ratelimit-limit') ?? looseNumber.parse(body['limit']);
  const remaining =
    header(headers, 'x-ratelimit-remaining') ?? looseNumber.parse(body['remaining']);
  const reset = header(headers, 'x-ratelimit-reset') ?? looseNumber.parse(body['reset_after']);
  if (limit === null && remaining === null && reset === null) return null;
  return { limit, remaining, resetAfterSeconds: reset === null ? null : asWait(reset, headers) };
}

function header(headers: Headers, name: string): number | null {
  // null if the header is missing or empty: Number('') would be 0.
  return looseNumber.parse(headers.get(name)?.trim() || null);
}

function asWait(reset: number, headers: Headers): number {
  if (reset < EPOCH_SECONDS) return Math.max(0, reset);
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, reset - (Number.isNaN(sent) ? Date.now() : sent) / 1000);
}
