import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ATTEMPT_OUTCOMES } from '../../src/domain/campaign.ts';
import { ATOM_TYPES, KINDS, PREDICTORS, type Options } from '../../src/domain/item.ts';
import { FINAL_STATES, OPEN_STATES } from '../../src/domain/states.ts';
import { itemFromDisk, itemToDisk } from '../../src/store/item-format.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { readItem } from '../../src/store/item-store.ts';
import { aMolecule } from './an-item.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const KEY = 'molecules/ethanol/item.json';

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
const digest = {
  bytes: fc.nat(),
  sha256: fc.string({
    unit: fc.constantFrom(...'0123456789abcdef'.split('')),
    minLength: 64,
    maxLength: 64,
  }),
};
const options: fc.Arbitrary<Options> = fc.oneof(
  fc.record({
    kind: fc.constant('molecule' as const),
    chargeMethod: fc.constantFrom('bcc' as const, 'gas' as const),
    netCharge: maybe(fc.integer({ min: -9, max: 9 })),
    atomType: fc.constantFrom(...ATOM_TYPES),
  }),
  fc.record({
    kind: fc.constant('sequence' as const),
    predictors: fc.uniqueArray(fc.constantFrom(...PREDICTORS), { minLength: 1 }),
  }),
  fc.constant({ kind: 'alignment' as const }),
  fc.record({
    kind: fc.constant('shifts' as const),
    modelClass: fc.constantFrom('1' as const, '2' as const, '3' as const),
    originalNumbering: fc.boolean(),
  }),
);
const row = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true });
const record: fc.Arbitrary<ItemRecord> = options.chain((chosen) =>
  fc.record(
    {
      id: fc.string(),
      kind: fc.constant(chosen.kind),
      state: fc.constantFrom(...OPEN_STATES, ...FINAL_STATES),
      error: maybe(fc.record({ code: fc.string(), message: fc.string() })),
      input: fc.record(
        {
          name: fc.string(),
          ...digest,
          original: fc.record({ name: fc.string(), ...digest }),
          names: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
        },
        { requiredKeys: ['name', 'bytes', 'sha256'], noNullPrototype: true },
      ),
      options: fc.constant(chosen),
      jobOptions: fc.constant(chosen),
      work: maybe(fc.string()),
      resultFrom: fc.oneof(
        fc.record({ type: fc.constant('duplicate' as const), id: fc.string() }),
        fc.record({
          type: fc.constant('cache' as const),
          campaign: fc.string(),
          id: fc.string(),
        }),
      ),
      generation: fc.nat(),
      jobNumber: fc.nat(),
      earlier: fc.array(
        fc.record(
          {
            state: fc.constantFrom(...FINAL_STATES),
            error: maybe(fc.record({ code: fc.string(), message: fc.string() })),
            remoteId: maybe(fc.string()),
            jobName: maybe(fc.string()),
            submittedAt: maybe(fc.string()),
            finishedAt: maybe(fc.string()),
            retriedAt: fc.string(),
          },
          { noNullPrototype: true },
        ),
      ),
      email: maybe(fc.string()),
      title: maybe(fc.string()),
      service: fc.constantFrom('molecules' as const, 'predictions' as const),
      address: maybe(fc.string()),
      remoteId: maybe(fc.string()),
      jobName: maybe(fc.string()),
      attempts: fc.array(
        fc.record(
          {
            at: fc.string(),
            outcome: fc.constantFrom(...ATTEMPT_OUTCOMES),
            message: fc.string(),
            remoteId: fc.string(),
            sentAt: fc.string(),
            answeredAt: fc.string(),
          },
          { requiredKeys: ['at', 'outcome'], noNullPrototype: true },
        ),
      ),
      submittedAt: maybe(fc.string()),
      sentAt: maybe(fc.string()),
      answeredAt: maybe(fc.string()),
      finishedAt: maybe(fc.string()),
      timing: maybe(
        fc.record({
          queuedAt: maybe(fc.string()),
          startedAt: maybe(fc.string()),
          finishedAt: maybe(fc.string()),
          queueWaitSeconds: maybe(fc.nat()),
          elapsedSeconds: maybe(fc.nat()),
          leftSeconds: maybe(fc.nat()),
          timeLimitSeconds: maybe(fc.nat()),
          heartbeatAgeSeconds: maybe(fc.nat()),
        }),
      ),
      files: fc.dictionary(
        fc.string(),
        fc.record(
          { ...digest, redacted: fc.integer({ min: 1 }) },
          { requiredKeys: ['bytes', 'sha256'], noNullPrototype: true },
        ),
        { noNullPrototype: true },
      ),
      source: fc.record({ file: fc.string(), line: fc.nat() }),
      row,
      user: row,
      engine: fc.string(),
      adopted: fc.record({ inputKnown: fc.boolean() }, { noNullPrototype: true }),
      jobLabel: fc.string(),
    },
    { requiredKeys: alwaysThere(), noNullPrototype: true },
  ),
);

function alwaysThere(): (keyof ItemRecord)[] {
  return Object.keys(waitingRecord(aMolecule('x'))) as (keyof ItemRecord)[];
}

describe('item.json', () => {
  test('any record is read back unchanged', () => {
    fc.assert(
      fc.property(record, (item) => {
        const plain = { ...item, options: { ...item.options } };
        expect(itemFromDisk(itemToDisk(item), KEY)).toEqual(plain);
      }),
    );
  });

  test('its keys are snake_case, its options have the names of the manifest columns', () => {
    const written = JSON.parse(itemToDisk(waitingRecord(aMolecule('ethanol')))) as object;
    expect(written).toMatchObject({
      format: 1,
      state: 'waiting',
      remote_id: null,
      job_name: null,
      submitted_at: null,
      service: 'molecules',
      options: { charge_method: 'bcc', net_charge: null, atom_type: 'gaff2' },
      input: { name: 'input.smi', bytes: 4 },
    });
    for (const key of Object.keys(written)) expect(key).toMatch(/^[a-z_]+$/);
    expect(KINDS).toContain((written as { kind: string }).kind);
  });

  test.each([
    ['cut off', '{"format": 1, "id"'],
    ['of another format', itemToDisk(waitingRecord(aMolecule('x'))).replace('1', '2')],
    ['with an unknown state', itemToDisk(waitingRecord(aMolecule('x'))).replace('waiting', 'odd')],
    ['that is not an object', '[]'],
  ])('a record %s is refused with its path', async (_, text) => {
    const store = await temporaryStore();
    await store.write(KEY, text);
    const error = await expectCode(
      readItem(store, 'molecule', 'ethanol'),
      'STORE_RECORD_UNREADABLE',
    );
    expect(error.message).toContain(KEY);
  });

  test.each(['', '\0\0\0\0'])(
    'a record that is empty after a power cut (%j) counts as missing',
    async (text) => {
      const store = await temporaryStore();
      await store.write(KEY, text);
      expect(await readItem(store, 'molecule', 'ethanol')).toBeNull();
    },
  );
});
