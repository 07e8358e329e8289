/** What releases the slot of a submission of unknown fate: the service may accept the job after its client has left. */
import { describe, expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget, type Grant } from '../../src/budget/budget.ts';
import type { Closing } from '../../src/budget/events.ts';
import { slotOf } from '../../src/budget/request.ts';
import { snapshotOf } from '../../src/budget/status.ts';
import { GUARD_MS } from '../../src/budget/window.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';

const WINDOW_MS = 10_000;

/** One slot, and two rows. */
function budget(): { readonly state: Budget; readonly first: Grant } {
  const state = newBudget();
  const credentialLimit = { limit: 1, windowMs: WINDOW_MS };
  apply(state, { type: 'configure', credential: 'c', credentialLimit }, 0);
  for (const item of ['a', 'b']) ask(state, item, 0);
  const [first] = decide(state, 0).grants as [Grant];
  return { state, first };
}

function ask(state: Budget, item: string, attempt: number, replaces?: string): void {
  const job = { id: item, kind: 'sequence', generation: 0, store: '' };
  const request = {
    item,
    campaign: 'x',
    credential: 'c',
    run: 'r',
    attempt,
    priority: 3,
    user: null,
    job,
  };
  const more = replaces === undefined ? {} : { replaces };
  apply(state, { type: 'request', request: { ...request, ...more } }, 0);
}

const close = (state: Budget, { request: { item } }: Grant, closing: Closing, now: number): void =>
  apply(state, { type: 'close', item, run: 'r', closing }, now);

const UNSURE: Closing = { type: 'unsure' };
const ACCEPTED: Closing = { type: 'accepted', rateLimit: null };
const items = (grants: readonly Grant[]): string[] => grants.map(({ request }) => request.item);

/** When the next row is sent if nothing else happens. */
function nextAt(state: Budget, now: number): number | null {
  const { grants, wakeAt } = decide(state, now);
  expect(items(grants)).toEqual([]);
  return wakeAt;
}

describe('the slot of a submission of unknown fate', () => {
  test('is charged from the latest time at which the service may accept the job', () => {
    const { state, first } = budget();
    close(state, first, UNSURE, 30_000);
    const latest = 30_000 + LATEST_ACCEPTANCE_MS;
    expect(nextAt(state, 30_000)).toBe(latest + WINDOW_MS + GUARD_MS);
    expect(items(decide(state, latest + WINDOW_MS + GUARD_MS - 1).grants)).toEqual([]);
    expect(items(decide(state, latest + WINDOW_MS + GUARD_MS).grants)).toEqual(['b']);
  });

  test('is charged from the answer if that was a web page, which may stand for a job', () => {
    const { state, first } = budget();
    const page = { type: 'notNow', reason: 'blocked', retryAfterMs: null, message: '' } as const;
    close(state, first, { ...page, scope: 'address', doubt: true }, 10_000);
    expect(nextAt(state, 10_000)).toBe(10_000 + WINDOW_MS + GUARD_MS);
  });

  test('is charged from the time when a look-up found the job, also if that is known before its end', () => {
    const { state, first } = budget();
    const slot = slotOf(first.request);
    close(state, first, UNSURE, 100);
    apply(state, { type: 'found', slot }, 4_000);
    // Once only.
    apply(state, { type: 'found', slot }, 7_000);
    expect(nextAt(state, 7_000)).toBe(4_000 + WINDOW_MS + GUARD_MS);
    const early = budget();
    apply(early.state, { type: 'found', slot }, 90);
    close(early.state, early.first, UNSURE, 100);
    expect(nextAt(early.state, 100)).toBe(100 + WINDOW_MS + GUARD_MS);
  });

  test('is used by the submission that replaces it, before all other rows', () => {
    const { state, first } = budget();
    close(state, first, UNSURE, 100);
    ask(state, 'a', 1, slotOf(first.request));
    const [second] = decide(state, 200).grants as [Grant];
    expect(second.request).toMatchObject({ item: 'a', attempt: 1 });
    close(state, second, ACCEPTED, 300);
    expect(nextAt(state, 300)).toBe(300 + WINDOW_MS + GUARD_MS);
  });

  test.each<Closing>([
    { type: 'refused' },
    { type: 'notNow', reason: 'unavailable', retryAfterMs: null, message: '503' },
    { type: 'deferred', scope: 'campaign', delayMs: 5_000, message: 'full disk' },
    { type: 'unwanted' },
  ])('is taken as before if the submission that replaces it creates no job: %o', (closing) => {
    const { state, first } = budget();
    close(state, first, UNSURE, 100);
    ask(state, 'a', 1, slotOf(first.request));
    const [second] = decide(state, 200).grants as [Grant];
    close(state, second, closing, 300);
    apply(state, { type: 'withdraw', item: 'a', run: 'r' }, 300);
    expect(nextAt(state, 300)).toBe(100 + LATEST_ACCEPTANCE_MS + WINDOW_MS + GUARD_MS);
  });

  test('is written into the memo, and does not hold up a probe', () => {
    const { state, first } = budget();
    const credentialLimit = { limit: 2, windowMs: WINDOW_MS };
    apply(state, { type: 'configure', credential: 'c', credentialLimit }, 0);
    close(state, first, { type: 'unsure', unwell: '502' }, 100);
    const { outstanding } = snapshotOf({ service: 's', address: 'x' }, state, 100, null);
    expect(outstanding).toMatchObject([{ settlesBy: 100 + LATEST_ACCEPTANCE_MS }]);
    expect(nextAt(state, 100)).toBe(1_100);
    expect(decide(state, 1_100).grants).toMatchObject([{ probe: true, request: { item: 'b' } }]);
  });
});
