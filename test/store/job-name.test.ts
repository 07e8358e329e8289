/** The name of a job, the work that it does, and the rows that it serves. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildJobName } from '../../src/activities/item-job.ts';
import type { Item, Options } from '../../src/domain/campaign.ts';
import { type Predictor, PREDICTORS } from '../../src/kinds/vocabulary.ts';
import { parseItem, type ItemRecord, serializeItem } from '../../src/store/item-record.ts';
import { createWaitingRecord, computeWorkDigest } from '../../src/store/item-store.ts';
import { reopenRecord } from '../../src/store/reopen.ts';
import { combineOptions, canShare } from '../../src/kinds/registry.ts';
import { aMolecule, aSequence } from './an-item.ts';

describe('the name: readable, unique, within the rules of the service', () => {
  const options = { kind: 'sequence', predictors: ['dynamine'] } as const;
  const input = { name: 'input.fasta', text: '>p1\nMKV\n' };
  const titled = (title: string | null): ItemRecord =>
    createWaitingRecord(aSequence('p1', { options, input, title }));
  const nameOf = (record: ItemRecord, campaign = 'night'): string =>
    buildJobName({ campaign, id: record.id, kind: record.kind }, record);
  const reloaded = (record: ItemRecord) => parseItem(serializeItem(record), 'item.json');

  test.each([
    [null, ''],
    ['Ubiquitin', 'Ubiquitin.'],
    ['  α-Synuclein (variant É46K)  ', 'alpha_Synuclein_variant_E46K.'],
    ['a\nb\tc', 'a_b_c.'],
    ['../../etc', 'etc.'],
    ['蛋白質', ''],
  ])('with the title %j', (title, label) => {
    expect(nameOf(titled(title))).toBe(`night.p1.${label}3ba430d25e9b6ed8`);
  });

  test('is not longer than 120 characters, and long ones are still unique', () => {
    const long = titled('x'.repeat(500));
    const names = ['a'.repeat(100), 'a'.repeat(101), '分子', '原子'].map((campaign) =>
      nameOf(long, campaign),
    );
    // ASCII, also of a campaign with another script.
    for (const name of names) expect(name).toMatch(/^[\w.]{20,120}$/);
    expect(new Set(names).size).toBe(4);
  });

  test('is kept by a record without labels, by an edited title, a retry and a reload; another input has another one', () => {
    const record = titled('Ubiquitin');
    const { jobLabel: _, ...before } = record;
    expect(nameOf(reloaded(before))).toBe(nameOf(titled(null)));
    const error = { code: 'SUBMIT_UNSURE', message: 'lost' };
    const held: ItemRecord = {
      ...record,
      state: 'held',
      finishedAt: '2026-01-01T00:00:00Z',
      error,
    };
    const same = [
      { ...record, title: 'another' },
      reloaded(record),
      reopenRecord(held, '2026-01-02'),
    ];
    for (const one of same) expect(nameOf(one)).toBe(nameOf(record));
    const other = { name: 'input.fasta', text: '>p1\nMKW\n' };
    expect(nameOf(createWaitingRecord(aSequence('p1', { options, input: other })))).not.toBe(
      nameOf(titled(null)),
    );
  });

  test('of a molecule has no label: its title is its file name', () => {
    expect(createWaitingRecord(aMolecule('m', { title: 'Ethanol' })).jobLabel).toBeUndefined();
  });
});

describe('the work', () => {
  const settings = { kind: 'molecule', chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' };
  const changed = (changes: object) => ({ options: { ...settings, ...changes } as Options });
  test.each<[string, Partial<Item>, boolean]>([
    ['owner, title and user columns', { email: 'a@b.c', title: 't', user: { a: 'b' } }, true],
    ['the notation of their files', { input: { name: 'input.sdf', text: '…' } }, true],
    ['input', { canonical: 'y' }, false],
    ['charge method', changed({ chargeMethod: 'gas' }), false],
    ['charge', changed({ netCharge: 0 }), false],
    ['atom types', changed({ atomType: 'amber' }), false],
  ])('of rows that differ in %s is the same: $2', (_, changes, same) => {
    const one = aMolecule('a', { canonical: 'x' });
    const other = aMolecule('b', { canonical: 'x', ...changes });
    expect(computeWorkDigest(other) === computeWorkDigest(one)).toBe(same);
    expect(computeWorkDigest(aSequence('a', { canonical: 'x' }))).not.toBe(computeWorkDigest(one));
  });

  test('does not include predictors; it includes model class and numbering', () => {
    const ask = (predictors: readonly Predictor[]): string =>
      computeWorkDigest(aSequence('a', { options: { kind: 'sequence', predictors } }));
    expect(ask(['psper'])).toBe(ask(['dynamine', 'agmata']));
    const shifts = (modelClass: '1' | '2', originalNumbering: boolean): string => {
      const options = { kind: 'shifts', modelClass, originalNumbering } as const;
      return computeWorkDigest({ kind: 'shifts', canonical: 'x', options });
    };
    expect(new Set([shifts('1', true), shifts('2', true), shifts('1', false)]).size).toBe(3);
  });

  test('of one job serves two rows if it has the predictors of both', () => {
    const predictors = fc.subarray([...PREDICTORS], { minLength: 1 });
    fc.assert(
      fc.property(predictors, predictors, (one, other) => {
        const [mine, theirs] = [one, other].map((all): Options => ({
          kind: 'sequence',
          predictors: all,
        }));
        const both = combineOptions(mine!, theirs!);
        expect([
          canShare(both, mine!),
          canShare(both, theirs!),
          canShare(mine!, mine!),
        ]).not.toContain(false);
        const all = both.kind === 'sequence' ? (both['predictors'] as readonly string[]) : [];
        expect([...all].sort()).toEqual([...new Set([...one, ...other])].sort());
        expect(canShare(mine!, theirs!)).toBe(other.every((name) => one.includes(name)));
      }),
    );
  });
});
