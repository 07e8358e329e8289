/** How a budget handles refusals by the service: one block, kept until an answer shows that it is over. */
import { expect, test } from 'vitest';
import { isOwnFault } from '../../src/budget/turned-away.ts';
import { apply, decide, newBudget, type Budget, type Grant } from '../../src/budget/budget.ts';
import type { Closing } from '../../src/budget/events.ts';
import { snapshotOf, describe as describeBudget } from '../../src/budget/status.ts';

const NO_LIMIT = { limit: null, windowMs: 0 };

function budgetOf(items: number): Budget {
  const state = newBudget();
  apply(state, { type: 'configure', credential: 'c', credentialLimit: NO_LIMIT }, 0);
  for (let n = 0; n < items; n += 1) {
    const job = { id: `i${n}`, kind: 'molecule', generation: 0, store: '/x' };
    const request = {
      item: `i${n}`,
      campaign: 'a',
      credential: 'c',
      attempt: 0,
      run: 'r',
      priority: 3,
      user: null,
      job,
    };
    apply(state, { type: 'request', request }, 0);
  }
  return state;
}

const refused: Closing = {
  type: 'notNow',
  reason: 'blocked',
  retryAfterMs: null,
  message: 'HTTP 403',
  scope: 'address',
};
const close = (state: Budget, { request }: Grant, closing: Closing, now: number) =>
  apply(state, { type: 'close', item: request.item, run: 'r', closing }, now);
const refusalOf = (state: Budget, now: number) =>
  describeBudget(snapshotOf({ service: 's', address: 'x' }, state, now, null), now).addressBlock
    .refusal;

test('submissions that were not sent do not change a refusal, which ends when one is accepted', () => {
  const state = budgetOf(3);
  const [first, ...others] = decide(state, 0).grants as [Grant, Grant, Grant];
  close(state, first, refused, 10);
  const sentBack = {
    ...refused,
    reason: 'unreachable',
    message: 'UNWELL',
    sentBack: true,
  } as const;
  for (const other of others) close(state, other, sentBack, 11);
  expect(refusalOf(state, 20)).toEqual({ since: 10, reason: 'HTTP 403' });
  const { grants, wakeAt } = decide(state, 20);
  expect({ grants, wakeAt }).toEqual({ grants: [], wakeAt: 5_010 });
  const [probe] = decide(state, 5_010).grants;
  expect(probe).toMatchObject({ probe: true, request: { item: 'i1' } });
  close(state, probe as Grant, { type: 'accepted', rateLimit: null }, 5_050);
  expect(refusalOf(state, 5_060)).toBeUndefined();
  expect(decide(state, 5_060).grants.map(({ request }) => request.item)).toEqual(['i2', 'i0']);
});

test('a failure is known once it is reported; an accepted submission does not change what is known', () => {
  const state = budgetOf(4);
  const [one, two, three, four] = decide(state, 0).grants as [Grant, Grant, Grant, Grant];
  close(state, four, { type: 'accepted', rateLimit: null }, 5);
  expect(state.failuresKnownTo).toBe(0);
  close(state, two, { type: 'refused' }, 10);
  expect(state.failuresKnownTo, 'that of the row alone').toBe(2);
  close(state, three, { type: 'unsure' }, 10);
  expect(state.failuresKnownTo, 'that of the row alone').toBe(3);
  close(state, one, { ...refused, reason: 'unavailable' }, 20);
  expect(state.failuresKnownTo, 'all that were sent before').toBe(4);
});

test('the delay grows from 5 s to a minute', () => {
  const state = budgetOf(1);
  const delays: number[] = [];
  let now = 0;
  for (let n = 0; n < 6; n += 1) {
    const [grant] = decide(state, now).grants;
    close(state, grant as Grant, refused, now);
    const { wakeAt } = decide(state, now);
    delays.push((wakeAt ?? 0) - now);
    now = wakeAt ?? 0;
  }
  expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test('a 401 blocks one credential, and no other', () => {
  const state = budgetOf(1);
  apply(state, { type: 'configure', credential: 'd', credentialLimit: NO_LIMIT }, 0);
  const [grant] = decide(state, 0).grants;
  close(state, grant as Grant, { ...refused, scope: 'credential' }, 0);
  const job = { id: 'j', kind: 'molecule', generation: 0, store: '/x' };
  const other = {
    item: 'j',
    campaign: 'b',
    credential: 'd',
    attempt: 0,
    run: 'r',
    priority: 3,
    user: null,
    job,
  };
  apply(state, { type: 'request', request: other }, 1);
  expect(decide(state, 1).grants.map(({ request }) => request.item)).toEqual(['j']);
});

test('a row that is refused 5 times over 15 minutes while others are accepted is treated as the cause', () => {
  const minutes = (n: number) => n * 60_000;
  const away = (at: number, accepted: number) =>
    ({ at, accepted, reason: 'blocked', message: '' }) as const;
  const counts = { submissions: 0, accepted: 30, refused: 0, rejected429: 0 };
  const row = (times: number, accepted: number) => ({
    turnedAway: Array.from({ length: times }, (_, n) => away(minutes(4 * n), accepted)),
  });
  expect(isOwnFault({ counts }, row(4, 3), minutes(16))).toBe(true);
  expect(isOwnFault({ counts }, row(4, 3), minutes(14)), 'too soon').toBe(false);
  expect(isOwnFault({ counts }, row(3, 3), minutes(16)), 'too rarely').toBe(false);
  expect(isOwnFault({ counts }, row(4, 30), minutes(16)), 'no other passed').toBe(false);
});

test('refused status requests block submissions, and accepted ones end the block', () => {
  const state = budgetOf(1);
  apply(state, { type: 'observe', reason: 'GET: HTTP 403' }, 100);
  expect(decide(state, 200).grants).toEqual([]);
  expect(refusalOf(state, 200)).toEqual({ since: 100, reason: 'GET: HTTP 403' });
  apply(state, { type: 'observe', reason: null }, 300);
  expect(refusalOf(state, 300)).toBeUndefined();
  expect(decide(state, 300).grants).toMatchObject([{ probe: true }]);
});
