/** How many jobs an item may have: one, and one more for each time its files were removed. */
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/local-services/journal.ts';
import { atMostOneJobALife, livesOf } from './lives.ts';
import { planRound, type Plan } from './plan.ts';

const row = (id: string) => ({ id, kind: 'sequence' });
const plan: Plan = {
  ...planRound(1, 0, { kind: 'names' }),
  campaigns: [{ name: 'a', folder: '.', rows: [row('a0'), row('a1')] }],
  events: [
    { atMs: 0, do: 'remove', campaign: 'a', item: 'a1', signal: 'SIGTERM', againMs: 0 },
    { atMs: 0, do: 'remove', campaign: 'a', item: null, signal: 'SIGTERM', againMs: 0 },
  ],
  encores: [{ how: 'elsewhere', item: null, killedAfterMs: null }],
};

const accepted = (jobName: string): JournalEntry => ({
  service: 'predictions',
  endpoint: 'single_sequence',
  at: 0,
  token: null,
  address: '127.0.0.1',
  jobName,
  accepted: true,
  status: 200,
  requestId: null,
});
const times = (count: number, jobName: string) => Array.from({ length: count }, () => jobName);

test('a removed tree and another output folder start a new life of all items; a removed item folder, of one', () => {
  expect(Object.fromEntries(livesOf(plan))).toEqual({ a0: 3, a1: 4 });
});

test('an item has at most one job in each of its lives', () => {
  const names = [...times(3, 'a.a0.0123456789abcdef'), ...times(4, 'a.a1.0123456789abcdef')];
  expect(() => atMostOneJobALife(plan, names.map(accepted))).not.toThrow();
  const tooMany = [...names.slice(0, -1), 'a.a0.0123456789abcdef'];
  expect(() => atMostOneJobALife(plan, tooMany.map(accepted))).toThrow('names accepted');
});

test('all items together have at most as many jobs as lives, also if the jobs have no names', () => {
  const names = times(8, '').map(() => ({ ...accepted(''), jobName: null }));
  expect(() => atMostOneJobALife(plan, names)).toThrow('accepted jobs of the service');
});
