/** Names of jobs: readable, unique, within the rules of the service, and never changed for a job that was sent. */
import { expect, test } from 'vitest';
import { jobName } from '../../src/activities/job.ts';
import type { Item } from '../../src/domain/item.ts';
import { itemFromDisk, itemToDisk } from '../../src/store/item-format.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { reopened } from '../../src/store/reopen.ts';

const ITEM: Item = {
  id: 'p1',
  kind: 'sequence',
  canonical: 'MKV',
  email: null,
  title: null,
  options: { kind: 'sequence', predictors: ['dynamine'] },
  input: { name: 'input.fasta', text: '>p1\nMKV\n' },
  source: { file: 'm.csv', line: 2 },
  row: {},
  user: {},
};

function nameOf(record: ItemRecord, campaign = 'night'): string {
  const { id, kind } = record;
  return jobName({ campaign, id, kind }, record);
}

const titled = (title: string): ItemRecord => waitingRecord({ ...ITEM, title });

test('the name of an item without a title has not changed', () => {
  expect(nameOf(waitingRecord(ITEM))).toBe('night.p1.3ba430d25e9b6ed8');
});

test.each([
  ['Ubiquitin', 'Ubiquitin'],
  ['  α-Synuclein (variant É46K)  ', 'Synuclein_variant_E46K'],
  ['a\nb\tc', 'a_b_c'],
  ['../../etc', 'etc'],
])('the title %j is readable in the name', (title, label) => {
  expect(nameOf(titled(title))).toBe(`night.p1.${label}.3ba430d25e9b6ed8`);
});

test('a title without usable characters changes nothing', () => {
  expect(nameOf(titled('蛋白質'))).toBe(nameOf(waitingRecord(ITEM)));
});

test('no name is longer than 120 characters, and long ones are still unique', () => {
  const long = titled('x'.repeat(500));
  const names = ['a'.repeat(100), 'a'.repeat(101)].map((campaign) => nameOf(long, campaign));
  for (const name of names) expect(name.length).toBeLessThanOrEqual(120);
  expect(new Set(names).size).toBe(2);
});

test('a record of a version without titles keeps its name', () => {
  const { jobLabel, ...before } = titled('Ubiquitin');
  expect(jobLabel).toBe('Ubiquitin');
  expect(nameOf(itemFromDisk(itemToDisk(before), 'item.json'))).toBe(nameOf(waitingRecord(ITEM)));
});

test('editing the title later, a retry and a reload keep the name', () => {
  const record = titled('Ubiquitin');
  const edited = { ...record, title: 'another title' };
  expect(nameOf(edited)).toBe(nameOf(record));
  expect(nameOf(itemFromDisk(itemToDisk(record), 'item.json'))).toBe(nameOf(record));
  const held: ItemRecord = {
    ...record,
    state: 'held',
    finishedAt: '2026-01-01T00:00:00Z',
    error: { code: 'SUBMIT_UNSURE', message: 'lost' },
  };
  expect(nameOf(reopened(held, '2026-01-02T00:00:00Z'))).toBe(nameOf(record));
});

test('a molecule has no label: its title is its file name', () => {
  const molecule = waitingRecord({ ...ITEM, kind: 'molecule', title: 'Ethanol' });
  expect(molecule.jobLabel).toBeUndefined();
});
