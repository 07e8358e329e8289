/** The ledger around a POST, as used in the submit activity. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { closeSlot, reserveSlot, type TakenSlot } from '../../src/activities/gates.ts';
import type { Policy } from '../../src/budget/policy.ts';
import type { SubmitOutcome } from '../../src/domain/outcomes.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { policyOf } from '../policy.ts';
import { ACCOUNT, readCharges, TestClock, WINDOW_MS } from '../ledger/a-ledger.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const policy = policyOf(2, WINDOW_MS);
const reference = { ...ACCOUNT, address: 'a name' };
const ledgerAddress = ACCOUNT.address;
const { signal } = new AbortController();

let deps: { readonly ledger: Ledger };
let ledger: Ledger;
let clock: TestClock;

beforeEach(async () => {
  clock = new TestClock();
  ledger = new Ledger({ folder: await temporaryFolder(), clock });
  onTestFinished(() => ledger.stop());
  deps = { ledger };
});

const reserve = (claim: string, counts: Policy['counts'] = 'accepted') =>
  reserveSlot(deps, { claim, reference, ledgerAddress, policy: { ...policy, counts }, signal });

async function taken(claim: string, counts?: Policy['counts']): Promise<TakenSlot> {
  const slot = await reserve(claim, counts);
  if (slot.type !== 'taken') throw new Error(slot.message);
  return slot;
}

const charges = () => readCharges(ledger);

const accepted: SubmitOutcome = { type: 'accepted', remoteId: 'r', rateLimit: null };
const away = {
  type: 'notNow',
  reason: 'unreachable',
  message: '',
  retryAfterMs: null,
  rateLimit: null,
} as const;

test.each<[string, SubmitOutcome | null, left: string[]]>([
  ['accepted leaves its slot charged', accepted, ['charged']],
  ['unsure leaves its slot open', { type: 'unsure', message: '' }, ['open']],
  ['refused frees its slot', { type: 'refused', status: 400, message: '' }, []],
  ['not sent frees its slot', away, []],
  ['answered with a web page charges its slot', { ...away, isUncertain: true }, ['charged']],
  ['not begun frees its slot', null, []],
])('a submission that is %s', async (_, outcome, left) => {
  closeSlot(deps, await taken('a'), outcome);
  expect(charges().map(({ state }) => state)).toEqual(left);
});

test.each<[string, SubmitOutcome | null, left: string[]]>([
  ['refused', { type: 'refused', status: 400, message: '' }, ['charged']],
  ['answered with 429', { ...away, reason: 'rate-limited' }, ['charged']],
  ['answered with 503', { ...away, reason: 'unavailable' }, ['charged']],
  ['not sent', away, []],
  ['not begun', null, []],
])('where the service counts what is sent, one that is %s', async (_, outcome, left) => {
  closeSlot(deps, await taken('a', 'sent'), outcome);
  expect(charges().map(({ state }) => state)).toEqual(left);
});

test('a request for a slot of a full window returns the time to wait, or waits for milliseconds', async () => {
  for (const id of ['a', 'b']) closeSlot(deps, await taken(id), accepted);
  expect(await reserve('c')).toMatchObject({
    type: 'full',
    message: expect.stringContaining('limit of 2'),
    retryAfterMs: WINDOW_MS + 25,
  });
  clock.pass(WINDOW_MS);
  setTimeout(() => clock.pass(25), 10);
  expect(await reserve('c')).toMatchObject({ type: 'taken' });
});

test('the submission that replaces one of unknown outcome uses its slot', async () => {
  closeSlot(deps, await taken('a'), { type: 'unsure', message: '' });
  const again = { claim: 'b', replaces: 'a', reference, ledgerAddress, policy, signal };
  expect(await reserveSlot(deps, again)).toMatchObject({ type: 'taken', replaces: 'a' });
  expect(charges()).toHaveLength(1);
});

test('nothing is sent if the ledger cannot be used', async () => {
  const broken = new Ledger({ folder: '/nowhere', clock });
  deps = { ledger: broken };
  expect(await reserve('a')).toMatchObject({ type: 'unusable', message: expect.any(String) });
});
