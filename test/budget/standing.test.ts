/** Turns and priority of campaigns that use the same credential. */
import { describe, expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';
import type { Standing } from '../../src/domain/campaign.ts';

const WINDOW = 10_000;

interface Campaign extends Partial<Standing> {
  readonly name: string;
  readonly credential?: string;
  readonly items: number;
}

function budget(limit: number): Budget {
  const state = newBudget();
  for (const credential of ['k', 'other']) {
    const credentialLimit = { limit, windowMs: WINDOW };
    apply(state, { type: 'configure', credential, credentialLimit }, 0);
  }
  return state;
}

function ask(state: Budget, { name, credential = 'k', items, ...standing }: Campaign): void {
  for (let i = 0; i < items; i += 1) {
    const job = { id: `${i}`, kind: 'sequence', generation: 0, store: '' };
    const item = `item:${name}:${i}`;
    const request = {
      item,
      campaign: name,
      credential,
      attempt: 0,
      run: 'r',
      priority: 3,
      user: null,
      ...standing,
      job,
    };
    apply(state, { type: 'request', request }, 0);
  }
}

/** The campaigns whose submissions are sent at `now`, each accepted at once. */
function sent(state: Budget, now: number): string[] {
  const { grants } = decide(state, now);
  for (const { request } of grants) {
    const { item } = request;
    apply(
      state,
      { type: 'close', item, run: 'r', closing: { type: 'accepted', rateLimit: null } },
      now,
    );
  }
  return grants.map(({ request }) => request.campaign);
}

function count(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, names.filter((one) => one === name).length]),
  );
}

const later = (windows: number): number => windows * (WINDOW + 100);

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
    const state = budget(3);
    ask(state, { name: 'urgent', items: 20, priority: 1 });
    ask(state, { name: 'night', items: 20 });
    ask(state, { name: 'theirs', credential: 'other', items: 20 });
    expect(count(sent(state, 0))).toEqual({ theirs: 3, urgent: 3 });
    expect(count(sent(state, later(1)))).toEqual({ theirs: 3, urgent: 3 });
  });
});
