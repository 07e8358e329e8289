/** The interval in which the service accepted a job, derived from item.json. */
import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/domain/campaign.ts';
import { Acceptances } from '../../../src/report/page/acceptances.ts';
import type { ItemRecord } from '../../../src/store/item-record.ts';

const START = Date.parse('2026-11-21T20:00:00.000Z');
const iso = (ms: number): string => new Date(START + ms).toISOString();

type Times = Partial<Pick<Attempt, 'sentAt' | 'answeredAt'>>;

function record(attempt: Times & Pick<Attempt, 'at' | 'outcome'>, queuedAt: string | null = null) {
  const attempts = [{ ...attempt, remoteId: 'r' }];
  const known = { service: 'predictions', remoteId: 'r', attempts, timing: { queuedAt } };
  return known as unknown as ItemRecord;
}

const accepted = (sent: number, answered: number, queuedAt: string | null = null) =>
  record(
    { at: iso(answered), outcome: 'accepted', sentAt: iso(sent), answeredAt: iso(answered) },
    queuedAt,
  );

function spans(...records: readonly ItemRecord[]) {
  const acceptances = new Acceptances();
  for (const one of records) acceptances.add(one);
  return acceptances.spans(iso(0)).predictions;
}

test('a job was accepted between its request and its answer', () => {
  expect(spans(accepted(100, 2_600), accepted(0, 30))).toEqual([
    [0, 30],
    [100, 2_600],
  ]);
});

test('a job that was looked up was sent with the first request that may have created it', () => {
  expect(spans(record({ at: iso(9_000), outcome: 'found', sentAt: iso(1_000) }))).toEqual([
    [1_000, 9_000],
  ]);
});

test('a request of unknown time was sent at most 45 s before', () => {
  expect(spans(record({ at: iso(60_000), outcome: 'accepted' }))).toEqual([[15_000, 60_000]]);
});

test('times of the service narrow the interval, though its clock is an hour ahead', () => {
  const told = (ms: number) => iso(3_600_000 + ms).replace('Z', '+00:00');
  const [quick, slow] = spans(accepted(0, 10, told(4)), accepted(100, 2_600, told(700))) ?? [];
  expect(quick).toEqual([0, 10]);
  // The quick answer gives the offset of the clocks to within 11 ms.
  expect(slow).toEqual([695, 707]);
});

test('a time in whole seconds gives an interval of a second', () => {
  const told = '2026-11-21T20:00:01Z';
  expect(spans(accepted(900, 2_600, told))).toEqual([[900, 2_600]]);
  expect(spans(accepted(0, 10, iso(4)), accepted(900, 2_600, told))).toEqual([
    [0, 10],
    [995, 2_006],
  ]);
});

test.each([
  ['the clock was set in between', iso(3_600_700)],
  ['the time zone is missing', '2026-11-21T20:00:00.700'],
  ['they are not a time', 'yesterday'],
])('times of the service are ignored when %s', (_, queuedAt) => {
  expect(spans(accepted(0, 10, iso(4)), accepted(100, 2_600, queuedAt))).toEqual([
    [0, 10],
    [100, 2_600],
  ]);
});
