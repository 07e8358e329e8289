/** A storm is determined by its seed: a failing round can be repeated. */
import { expect, test } from 'vitest';
import { FAULTS } from '../../src/local-services/faults.ts';
import type { Event } from './deeds.ts';
import { ENCORES, KINDS } from './kinds.ts';
import { planRound, SQUATS, type Plan } from './plan.ts';

const MANY = 400;
const plans: readonly Plan[] = Array.from({ length: MANY }, (_, round) => planRound(7, round));
const events: readonly Event[] = plans.flatMap((plan) => plan.events);

test('the same seed and round give the same plan; another seed or round gives a different one', () => {
  expect(planRound(7, 3)).toEqual(plans[3]);
  expect(new Set(plans.map((plan) => JSON.stringify([plan.campaigns, plan.events]))).size).toBe(
    MANY,
  );
  expect(planRound(8, 3).campaigns).not.toEqual(plans[3]?.campaigns);
});

test('a plan is plain data: it can be written and read back unchanged', () => {
  for (const plan of plans) expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});

test('events are in the order of their times', () => {
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

test('every action, and every fault of the menu, occurs', () => {
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
      'forget',
      'remove',
      'set-clock',
    ]),
  );
  const faults = events.flatMap((event) => (event.do === 'faults' ? event.rules : []));
  // fault-menu.ts explains why these two are omitted.
  const names = Object.keys(FAULTS).filter((name) => !['reject', 'echo-token'].includes(name));
  expect(new Set(faults.map(({ name }) => name))).toEqual(new Set(names));
});

test('every kind of round occurs, and everything that is specific to some of them', () => {
  expect(new Set(plans.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KINDS)));
  const encores = plans.flatMap((plan) => plan.encores);
  expect(new Set(encores.map(({ how }) => how))).toEqual(new Set(ENCORES));
  expect(new Set(plans.flatMap(({ squat }) => squat ?? []))).toEqual(new Set(SQUATS));
  const offsets = events.flatMap((event) => (event.do === 'set-clock' ? [event.offsetS] : []));
  expect(new Set(offsets)).toEqual(new Set([10, 3_600, -10, -3_600, 0]));
});

test('a requested kind is used in every round, with the same plan for the same seed', () => {
  const names = Array.from({ length: 20 }, (_, round) => planRound(7, round, { kind: 'names' }));
  expect(new Set(names.map(({ kind }) => kind))).toEqual(new Set(['names']));
  expect(planRound(7, 3, { kind: 'names' })).toEqual(names[3]);
});

test('no process is frozen for longer than a round of the test suite may take', () => {
  const standstills = (of: readonly Event[]) =>
    of.flatMap((event) => (event.do === 'freeze' ? [event.forMs] : []));
  expect(Math.max(...standstills(events))).toBeLessThan(10_000);
  const long = Array.from({ length: MANY }, (_, round) => planRound(7, round, { long: true }));
  const longest = Math.max(...standstills(long.flatMap((plan) => plan.events)));
  expect(longest).toBeGreaterThan(20_000);
  expect(longest).toBeLessThanOrEqual(30_000);
});
