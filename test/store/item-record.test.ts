/** The record of an item: its form on disk, and changing it while another process does. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ATTEMPT_OUTCOMES,
  type Options,
  FINAL_STATES,
  OPEN_STATES,
} from '../../src/domain/campaign.ts';
import { MOLECULE_OPTIONS, PREDICTORS } from '../../src/kinds/vocabulary.ts';
import { parseItem, type ItemRecord, serializeItem } from '../../src/store/item-record.ts';
import {
  createWaitingRecord,
  changeItem,
  readItem,
  type WriteChanged,
  writeItem,
} from '../../src/store/item-store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import { expectCode, recordIn } from './store-expectations.ts';
import { temporaryStore, writeElsewhere } from './temporary-store.ts';

const KEY = 'molecules/ethanol/item.json';
const ETHANOL = createWaitingRecord(aMolecule('ethanol'));

const AT = '2026-11-21T00:00:00.000Z';
const DIGEST = { bytes: 7, sha256: '0123456789abcdef'.repeat(4) };
const END = {
  state: 'held',
  error: { code: 'SUBMIT_UNSURE', message: 'lost' },
  remoteId: 'job-1',
  jobName: 'night.x.1',
  submittedAt: AT,
  finishedAt: AT,
} as const;
const NO_END = { error: null, remoteId: null, jobName: null, submittedAt: null, finishedAt: null };
/** With every field that there is. */
const FULL: Required<ItemRecord> = {
  ...ETHANOL,
  ...END,
  input: { name: 'a.smi', ...DIGEST, original: { name: 'a.sdf', ...DIGEST } },
  jobOptions: ETHANOL.options,
  work: 'digest of the work',
  resultFrom: { type: 'cache', campaign: 'before', id: 'y' },
  generation: 3,
  jobNumber: 2,
  givenBack: ['https://lane'],
  earlier: [END, { ...END, ...NO_END }].map((end) => ({ ...end, retriedAt: AT })),
  email: 'lab@example.org',
  title: 'Ethanol',
  address: 'https://host',
  attempts: [
    ...ATTEMPT_OUTCOMES.map((outcome) => ({ at: AT, outcome })),
    { at: AT, outcome: 'accepted', message: '', remoteId: 'j', sentAt: AT, answeredAt: AT },
  ],
  sentAt: AT,
  answeredAt: AT,
  timing: {
    queuedAt: AT,
    startedAt: AT,
    finishedAt: null,
    queueWaitSeconds: 1,
    elapsedSeconds: 2,
    leftSeconds: null,
    timeLimitSeconds: 4,
    heartbeatAgeSeconds: 5,
  },
  files: { 'record.json': { ...DIGEST, redacted: 2 }, 'em.mdp': DIGEST },
  engine: 'recorded, ACPYPE',
  adopted: { inputKnown: true },
  jobLabel: 'Ethanol',
};

const options: fc.Arbitrary<Options> = fc.oneof(
  fc.record({
    kind: fc.constant('molecule' as const),
    chargeMethod: fc.constantFrom('bcc' as const, 'gas' as const),
    netCharge: fc.option(fc.integer({ min: -9, max: 9 })),
    atomType: fc.constantFrom(...MOLECULE_OPTIONS.atom_type.allowed),
  }),
  fc.record({
    kind: fc.constant('sequence' as const),
    predictors: fc.uniqueArray(fc.constantFrom(...PREDICTORS), {
      minLength: 1,
    }),
  }),
  fc.constant({ kind: 'alignment' as const }),
  fc.record({
    kind: fc.constant('shifts' as const),
    modelClass: fc.constantFrom('1' as const, '2' as const, '3' as const),
    originalNumbering: fc.boolean(),
  }),
);
/** Names of columns; zod leaves out one name, which no table has. */
const column = fc.string().filter((name) => name !== '__proto__');
const cells = fc.dictionary(column, fc.string(), { noNullPrototype: true });
const NULLABLE = Object.entries(ETHANOL).flatMap(([key, value]) => (value === null ? [key] : []));
const OPTIONAL = Object.keys(FULL).filter((key) => !(key in ETHANOL));
const drawn = fc.record({
  id: fc.string(),
  state: fc.constantFrom(...OPEN_STATES, ...FINAL_STATES),
  source: fc.record({ file: fc.string(), line: fc.nat() }),
  row: cells,
  user: cells,
});

test('any record is read back unchanged', () => {
  const [nullable, optional] = [fc.subarray(NULLABLE), fc.subarray(OPTIONAL)];
  fc.assert(
    fc.property(drawn, options, cells, nullable, optional, (some, chosen, names, nulls, absent) => {
      const all = {
        ...FULL,
        ...some,
        kind: chosen.kind,
        options: chosen,
        jobOptions: chosen,
        input: { ...FULL.input, names },
        ...Object.fromEntries(nulls.map((key) => [key, null])),
      };
      const kept = Object.entries(all).filter(([key]) => !absent.includes(key));
      const item = Object.fromEntries(kept) as unknown as ItemRecord;
      expect(parseItem(serializeItem(item), KEY)).toEqual({ ...item, options: { ...chosen } });
    }),
  );
});

test.each([
  ['cut off', '{"format": 1, "id"'],
  ['of another format', serializeItem(ETHANOL).replace('1', '2')],
  ['with an unknown state', serializeItem(ETHANOL).replace('waiting', 'odd')],
  ['that is not an object', '[]'],
])('a record %s is refused with its path', async (_, text) => {
  const store = await temporaryStore();
  await store.write(KEY, text);
  const reading = readItem(store, 'molecule', 'ethanol');
  expect((await expectCode(reading, 'STORE_RECORD_UNREADABLE')).message).toContain(KEY);
});

test.each(['', '\0\0\0\0'])(
  'a record that is empty after a power cut (%j) is missing',
  async (text) => {
    const store = await temporaryStore();
    await store.write(KEY, text);
    expect(await readItem(store, 'molecule', 'ethanol')).toBeNull();
  },
);

describe('a change', () => {
  const RECORD = createWaitingRecord(aSequence('p1'));

  test('creates no record that is missing', async () => {
    const store = await temporaryStore();
    const none = await changeItem(store, RECORD, (found) => Promise.resolve(found));
    expect(none).toBeNull();
    await writeItem(store, RECORD);
    const address = await changeItem(store, RECORD, async (found, write) => {
      await write({ ...(found ?? RECORD), address: 'https://a' });
      return 'https://a';
    });
    expect(await recordIn(store, 'sequence', 'p1')).toMatchObject({ address });
  });

  test('of another process is not lost', async () => {
    const store = await temporaryStore();
    await writeItem(store, RECORD);
    const theirs = serializeItem({ ...RECORD, remoteId: 'theirs' });
    const seen: (string | null | undefined)[] = [];
    const change = async (found: ItemRecord | null, write: WriteChanged): Promise<void> => {
      if (seen.length === 0) await writeElsewhere(store, 'sequences/p1/item.json', theirs);
      seen.push(found?.remoteId);
      await write({ ...(found ?? RECORD), address: 'https://ours' });
    };
    await changeItem(store, RECORD, change);
    expect(seen).toEqual([null, 'theirs']);
    const both = { remoteId: 'theirs', address: 'https://ours' };
    expect(await recordIn(store, 'sequence', 'p1')).toMatchObject(both);
  });
});
