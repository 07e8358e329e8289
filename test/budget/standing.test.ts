/** Share, priority and reserve of campaigns that use the same credential. */
import { describe, expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget, type Limit } from '../../src/budget/budget.ts';
import type { Standing } from '../../src/domain/campaign.ts';

const WINDOW = 10_000;
const NO_LIMIT = { limit: null, windowMs: 0 };

interface Campaign extends Partial<Standing> {
  readonly name: string;
  readonly credential?: string;
  readonly items: number;
}

function budget(limit: number, addressLimit: Limit = NO_LIMIT): Budget {
  const state = newBudget();
  for (const credential of ['k', 'other']) {
    const credentialLimit = { limit, windowMs: WINDOW };
    apply(state, { type: 'configure', credential, credentialLimit, addressLimit }, 0);
  }
  return state;
}

function ask(state: Budget, { name, credential = 'k', items, ...standing }: Campaign): void {
  for (let i = 0; i < items; i += 1) {
    const job = { id: `${i}`, kind: 'sequence', generation: 0, store: '' };
    const item = `item:${name}:${i}`;
    const request = { item, campaign: name, credential, attempt: 0, weight: 1, ...standing, job };
    apply(state, { type: 'request', request }, 0);
  }
}

/** The campaigns whose submissions are sent at `now`, each accepted at once. */
function sent(state: Budget, now: number): string[] {
  const { grants } = decide(state, now);
  for (const { request } of grants) {
    const { item } = request;
    apply(state, { type: 'close', item, closing: { type: 'accepted', rateLimit: null } }, now);
  }
  return grants.map(({ request }) => request.campaign);
}

function count(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, names.filter((one) => one === name).length]),
  );
}

const later = (windows: number): number => windows * (WINDOW + 100);

test('a campaign with share 3 has three turns for each turn of another', () => {
  const state = budget(12);
  ask(state, { name: 'a', items: 50, weight: 3 });
  ask(state, { name: 'b', items: 50 });
  expect(count(sent(state, 0))).toEqual({ a: 9, b: 3 });
});

describe('priority', () => {
  test('the highest goes first, and the others continue when it has nothing waiting', () => {
    const state = budget(6);
    ask(state, { name: 'night', items: 20 });
    ask(state, { name: 'urgent', items: 8, priority: 1 });
    ask(state, { name: 'idle', items: 20, priority: 5 });
    expect(sent(state, 0)).toEqual(Array(6).fill('urgent'));
    expect(sent(state, later(1))).toEqual(['urgent', 'urgent', ...Array<string>(4).fill('night')]);
  });

  test('the others do not catch up on turns that the highest has taken', () => {
    const state = budget(4);
    ask(state, { name: 'night', items: 20 });
    ask(state, { name: 'urgent', items: 8, priority: 1 });
    sent(state, 0);
    sent(state, later(1));
    ask(state, { name: 'new', items: 20 });
    expect(count(sent(state, later(2)))).toEqual({ new: 2, night: 2 });
  });

  test('does not affect other credentials', () => {
    const state = budget(100, { limit: 6, windowMs: WINDOW });
    ask(state, { name: 'urgent', items: 20, priority: 1 });
    ask(state, { name: 'night', items: 20 });
    ask(state, { name: 'theirs', credential: 'other', items: 20 });
    expect(count(sent(state, 0))).toEqual({ theirs: 3, urgent: 3 });
    expect(count(sent(state, later(1)))).toEqual({ theirs: 3, urgent: 3 });
  });
});

describe('reserve', () => {
  test('a campaign leaves slots free that others can use at once', () => {
    const state = budget(10);
    ask(state, { name: 'night', items: 50, reserve: 4 });
    expect(sent(state, 0)).toHaveLength(6);
    expect(sent(state, 1_000)).toEqual([]);
    ask(state, { name: 'desk', items: 6 });
    expect(sent(state, 1_000)).toEqual(Array(4).fill('desk'));
  });

  test('a campaign does not catch up later on slots that it left to others', () => {
    const state = budget(10);
    ask(state, { name: 'night', items: 50, reserve: 8 });
    ask(state, { name: 'desk', items: 50 });
    expect(count(sent(state, 0))).toEqual({ desk: 9, night: 1 });
    expect(count(sent(state, later(1)))).toEqual({ desk: 8, night: 2 });
  });

  test('a campaign may always use one slot, also when the limit was lowered', () => {
    const state = budget(5);
    ask(state, { name: 'night', items: 3, reserve: 20 });
    expect(sent(state, 0)).toEqual(['night']);
    expect(decide(state, 0).wakeAt).toBe(WINDOW + 25);
  });
});
