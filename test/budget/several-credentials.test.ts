/** A campaign with several credentials: each is exact by itself, and a row uses the first one with a free slot. */
import { describe, expect, test } from 'vitest';
import {
  apply,
  decide,
  newBudget,
  type Budget,
  type Grant,
  type Limit,
} from '../../src/budget/budget.ts';
import type { Closing } from '../../src/budget/events.ts';
import type { Request } from '../../src/budget/request.ts';
import { GUARD_MS } from '../../src/budget/window.ts';
import { Random } from '../chaos/random.ts';

const WINDOW = 10_000;
const NO_LIMIT: Limit = { limit: null, windowMs: 0 };
const ACCEPTED: Closing = { type: 'accepted', rateLimit: null };

function budget(limits: Readonly<Record<string, number>>, addressLimit = NO_LIMIT): Budget {
  const state = newBudget();
  for (const [credential, limit] of Object.entries(limits)) {
    const credentialLimit = { limit, windowMs: WINDOW };
    apply(state, { type: 'configure', credential, credentialLimit, addressLimit }, 0);
  }
  return state;
}

type Asked = Partial<Pick<Request, 'credential' | 'others' | 'priority' | 'weight' | 'reserve'>>;

function ask(state: Budget, campaign: string, items: number, asked: Asked = {}, now = 0): void {
  for (let i = 0; i < items; i += 1) {
    const job = { id: `${i}`, kind: 'sequence', generation: 0, store: '' };
    const of = { item: `item:${campaign}:${i}`, campaign, credential: 'k1', attempt: 0, weight: 1 };
    apply(state, { type: 'request', request: { ...of, ...asked, job } }, now);
  }
}

function close(state: Budget, { request }: Grant, closing: Closing, now: number): void {
  apply(state, { type: 'close', item: request.item, closing }, now);
}

/** The credentials of the rows sent at `now`, each accepted at once. */
function sent(state: Budget, now: number): string[] {
  const { grants } = decide(state, now);
  for (const grant of grants) close(state, grant, ACCEPTED, now);
  return grants.map(({ request }) => `${request.campaign} ${request.credential}`);
}

const BOTH = { others: ['k2'] };

test('uses all credentials at once, each up to its own limit', () => {
  const state = budget({ k1: 3, k2: 2 });
  ask(state, 'night', 12, BOTH);
  expect(sent(state, 0).sort()).toEqual([
    ...Array<string>(3).fill('night k1'),
    ...Array<string>(2).fill('night k2'),
  ]);
  expect(decide(state, 0).wakeAt).toBe(WINDOW + GUARD_MS);
  expect(sent(state, WINDOW + GUARD_MS)).toHaveLength(5);
});

test('the limit of the address applies to all of them together', () => {
  const state = budget({ k1: 3, k2: 3 }, { limit: 4, windowMs: WINDOW });
  ask(state, 'night', 12, BOTH);
  expect(sent(state, 0)).toHaveLength(4);
  expect(sent(state, 1)).toEqual([]);
});

describe('a credential that is refused', () => {
  const refused: Closing = {
    type: 'notNow',
    reason: 'blocked',
    retryAfterMs: null,
    message: 'HTTP 401',
    scope: 'credential',
  };

  test('is blocked, and its rows are sent with the other credentials', () => {
    const state = budget({ k1: 3, k2: 9 });
    ask(state, 'night', 9, BOTH);
    const { grants } = decide(state, 0);
    for (const grant of grants)
      close(state, grant, grant.request.credential === 'k1' ? refused : ACCEPTED, 0);
    expect(grants.map(({ request }) => request.credential).sort()).toEqual(
      ['k1', 'k1', 'k1', ...Array<string>(6).fill('k2')].sort(),
    );
    expect(sent(state, 1)).toEqual(Array(3).fill('night k2'));
    expect(state.queue.lanes).toEqual([]);
  });

  test('is used again after it is accepted again', () => {
    const state = budget({ k1: 2, k2: 2 });
    ask(state, 'night', 40, BOTH);
    const [first, ...rest] = decide(state, 0).grants;
    if (!first) throw new Error('nothing was granted');
    close(state, first, refused, 0);
    for (const grant of rest) close(state, grant, ACCEPTED, 0);
    const seen = [1, 2, 3, 4].flatMap((n) => sent(state, n * 2 * WINDOW));
    expect(seen.filter((one) => one === 'night k1').length).toBeGreaterThanOrEqual(6);
  });
});

test('a deferred row keeps its position, and changes the credential', () => {
  const state = budget({ k1: 0, k2: 1 });
  ask(state, 'night', 1, BOTH);
  const [grant] = decide(state, 0).grants;
  if (!grant) throw new Error('nothing was granted');
  expect(grant.request).toMatchObject({ credential: 'k2', home: 'k1' });
  close(
    state,
    grant,
    { type: 'deferred', scope: 'credential', delayMs: 5_000, message: 'no worker' },
    0,
  );
  expect(state.queue.lanes).toMatchObject([{ credential: 'k1', others: ['k2'] }]);
  apply(
    state,
    {
      type: 'configure',
      credential: 'k1',
      credentialLimit: { limit: 1, windowMs: WINDOW },
      addressLimit: NO_LIMIT,
    },
    1,
  );
  expect(sent(state, 1)).toEqual(['night k1']);
});

test('an item bound to its credential is not sent with another one', () => {
  const state = budget({ k1: 1, k2: 5 });
  ask(state, 'night', 3, BOTH);
  const job = { id: 'kept', kind: 'sequence', generation: 0, store: '' };
  const kept = { item: 'item:night:kept', campaign: 'night', credential: 'k1', attempt: 1 };
  apply(state, { type: 'request', request: { ...kept, weight: 1, job } }, 0);
  const { grants } = decide(state, 0);
  expect(grants).toHaveLength(3);
  for (const { request } of grants)
    if (request.item === kept.item) expect(request.credential).toBe('k1');
  for (const grant of grants) close(state, grant, ACCEPTED, 0);
  const later = decide(state, 10 * WINDOW).grants;
  expect(
    [...grants, ...later].find(({ request }) => request.item === kept.item)?.request.credential,
  ).toBe('k1');
});

test('a campaign of higher priority goes first at every credential that it may use', () => {
  const state = budget({ k1: 2, k2: 2 });
  ask(state, 'night', 9, { ...BOTH, priority: 4 });
  ask(state, 'theirs', 2, { credential: 'k2', priority: 1 });
  expect(sent(state, 0).sort()).toEqual(['night k1', 'night k1', 'theirs k2', 'theirs k2']);
});

test('a campaign with one credential is not starved by one with two', () => {
  const state = budget({ k1: 4, k2: 4 });
  ask(state, 'night', 40, BOTH);
  ask(state, 'theirs', 8, { credential: 'k2' });
  const names = sent(state, 0);
  expect(names.filter((name) => name === 'theirs k2').length).toBeGreaterThanOrEqual(2);
});

test('in random histories each window keeps its limit, and every row is sent once', () => {
  for (let seed = 1; seed <= 300; seed += 1) play(seed);
});

/** One history; the limits and answers follow from `seed`. */
function play(seed: number): void {
  const random = new Random(seed);
  const below = (n: number): number => random.int(0, n - 1);
  const limits = { k1: 1 + below(4), k2: 1 + below(4), k3: 1 + below(3) };
  const ceiling = { limit: 3 + below(6), windowMs: WINDOW };
  const state = budget(limits, ceiling);
  ask(state, 'three', 12, { others: ['k2', 'k3'], weight: 1 + below(3) });
  ask(state, 'one', 8, { credential: 'k2', priority: 1 + below(5) });
  ask(state, 'two', 8, { credential: 'k3', others: ['k1'], reserve: below(3) });
  const accepted: { at: number; credential: string; item: string }[] = [];
  for (let now = 0; accepted.length < 28; now += 1 + below(WINDOW / 3)) {
    expect(now, `seed ${seed}: it comes to an end`).toBeLessThan(WINDOW * 1_000);
    for (const grant of decide(state, now).grants) {
      const { credential, item } = grant.request;
      if (below(4) === 0) {
        const scope = 'credential' as const;
        close(state, grant, { type: 'deferred', scope, delayMs: 500, message: '' }, now);
        continue;
      }
      accepted.push({ at: now, credential, item });
      close(state, grant, ACCEPTED, now);
    }
  }
  expect(new Set(accepted.map(({ item }) => item)).size).toBe(28);
  for (const { at } of accepted) {
    const within = accepted.filter((one) => one.at >= at && one.at <= at + WINDOW);
    expect(within.length, `seed ${seed}`).toBeLessThanOrEqual(ceiling.limit);
    for (const [credential, limit] of Object.entries(limits))
      expect(within.filter((one) => one.credential === credential).length).toBeLessThanOrEqual(
        limit,
      );
  }
}
