/** A budget that is played by hand: what it is asked, what it grants, and how each submission ends. */
import { decide, applyReading, createBudget, take, type Grant } from '../../src/budget/budget.ts';
import type { BudgetEvent, Settlement, SubmitResult } from '../../src/budget/state.ts';
import type { Policy } from '../../src/budget/policy.ts';
import type { ItemJob, Request } from '../../src/budget/queue.ts';
import { describe, createSnapshot, type BudgetSnapshot } from '../../src/budget/status.ts';
import { policyOf } from '../policy.ts';

export const WINDOW_MS = 10_000;
/** Each time a job of its own (`PlayedBudget.close`). */
export const ACCEPTED: SubmitResult = { type: 'accepted', remoteId: '', rateLimit: null };
export const UNSURE = { type: 'unsure', message: '' } as const satisfies SubmitResult;
export const REFUSED = {
  type: 'refused',
  status: 400,
  message: '',
} as const satisfies SubmitResult;
export const UNABLE = { type: 'unable', code: '', message: '' } as const satisfies SubmitResult;

/** The service refuses. */
export function notNow(
  more: Partial<Extract<SubmitResult, { type: 'notNow' }>> = {},
): SubmitResult {
  const down = { reason: 'unavailable', retryAfterMs: null, message: 'down' } as const;
  return { type: 'notNow', ...down, rateLimit: null, ...more };
}

export function aRequest(item: string, more: Partial<Request> = {}): Request {
  const launch = { policy: { deadlineMs: 0, whenUnsure: 'hold' } } as const;
  const job: ItemJob = { id: item, kind: 'sequence', generation: 0, store: '', tree: '', launch };
  const ofUser = { priority: 3, user: null };
  return { item, run: 'r', campaign: 'c', attempt: 0, ...ofUser, job, ...more };
}

export class PlayedBudget {
  /** With so many in flight that slots alone decide. */
  state = { ...createBudget(), maxOutstanding: 100 };

  constructor(limit: number | null) {
    this.limit(limit);
  }

  limit(limit: number | null): void {
    this.allow(policyOf(limit, WINDOW_MS));
  }

  allow(policy: Policy): void {
    this.apply({ type: 'configure', policy }, 0);
  }

  /** The clock is read just after the event. */
  apply(event: BudgetEvent, now: number): void {
    take(this.state, event, now);
    applyReading(this.state, this.state.untimed.length, now);
  }

  ask(items: string | readonly string[], more: Partial<Request> = {}, now = 0): void {
    for (const item of [items].flat())
      this.apply({ type: 'request', request: aRequest(item, more) }, now);
  }

  /** So many items of a campaign. */
  askFor(campaign: string, items: number, more: Partial<Request> = {}): void {
    for (let n = 0; n < items; n += 1) this.ask(`${campaign}-${n}`, { campaign, ...more });
  }

  grants(now: number): readonly Grant[] {
    return decide(this.state, now).grants;
  }

  /** The items that are sent. */
  sent(now: number): string[] {
    return this.grants(now).map(({ request }) => request.item);
  }

  /** When something is sent, if nothing else happens; nothing is sent now. */
  nextAt(now: number): number | null {
    const { grants, wakeAt } = decide(this.state, now);
    if (grants.length > 0) throw new Error(`sent: ${JSON.stringify(grants)}`);
    return wakeAt;
  }

  /** The look-up of a refused row ends at once. */
  close(item: string, told: SubmitResult, now: number, run = 'r'): void {
    const isNew = told.type === 'accepted' && told.remoteId === '';
    const result = isNew ? { ...told, remoteId: `job ${this.state.granted} of ${item}` } : told;
    this.apply({ type: 'close', item, run, result }, now);
    if (result.type === 'refused')
      this.apply({ type: 'settled', item, run, settlement: { type: 'ended' } }, now);
  }

  /** A look-up after a submission of unknown outcome has ended. */
  settle(item: string, settlement: Settlement, now: number): void {
    this.apply({ type: 'settled', item, run: 'r', settlement }, now);
  }

  /** What is sent now is accepted at once: its campaigns. */
  accepted(now: number, result = ACCEPTED): string[] {
    return this.grants(now).map(({ request: { item, campaign } }) => {
      this.close(item, result, now);
      return campaign;
    });
  }

  snapshot(now: number): BudgetSnapshot {
    return createSnapshot(
      { service: 'predictions', address: 'here', credential: 'k' },
      this.state,
      now,
      null,
    );
  }

  status(now: number) {
    return describe(this.snapshot(now), now);
  }
}
