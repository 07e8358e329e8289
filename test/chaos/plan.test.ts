/** A storm is its seed: what a failing round did can be done again. */
import { expect, test } from 'vitest';
import { FAULTS } from '../../src/local-services/faults.ts';
import { planRound, type Event, type Plan } from './plan.ts';

const MANY = 400;
const plans: readonly Plan[] = Array.from({ length: MANY }, (_, round) => planRound(7, round));
const events: readonly Event[] = plans.flatMap((plan) => plan.events);

test('the same seed and round give the same plan, others another one', () => {
  expect(planRound(7, 3)).toEqual(plans[3]);
  expect(new Set(plans.map((plan) => JSON.stringify(plan.events))).size).toBe(MANY);
  expect(planRound(8, 3).events).not.toEqual(plans[3]?.events);
});

test('a plan is plain data: it says the same after it was written down and read again', () => {
  for (const plan of plans) expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});

test('events stand in the order of their times', () => {
  for (const { events: own } of plans) {
    expect(own.map(({ atMs }) => atMs)).toEqual(own.map(({ atMs }) => atMs).sort((a, b) => a - b));
  }
});

test('no two rows of a round have the same id or the same molecule', () => {
  for (const { campaigns } of plans) {
    const rows = campaigns.flatMap((campaign) => campaign.rows);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const smiles = rows.flatMap((row) => row['smiles'] ?? []);
    expect(new Set(smiles).size).toBe(smiles.length);
  }
});

test('most rounds have rows that can share a job', () => {
  const sharing = plans.filter(({ campaigns }) =>
    campaigns.some(({ rows }) => {
      const sequences = rows.flatMap((row) => row['sequence'] ?? []);
      return new Set(sequences).size < sequences.length;
    }),
  );
  expect(sharing.length / MANY).toBeGreaterThan(0.5);
});

test('every deed, and every fault but the one that refuses rows for good, comes up', () => {
  expect(new Set(events.map((event) => event.do))).toEqual(
    new Set([
      'end',
      'kill-temporal',
      'restart-services',
      'faults',
      'cut',
      'freeze',
      'pause',
      'kill-all',
    ]),
  );
  const faults = events.flatMap((event) => (event.do === 'faults' ? event.rules : []));
  const names = Object.keys(FAULTS).filter((name) => name !== 'reject');
  expect(new Set(faults.map(({ name }) => name))).toEqual(new Set(names));
});
