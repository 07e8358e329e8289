/** The note beside an item that its job may have been sent: one attempt creates it, and the others know. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { SubmitOutcome } from '../../src/domain/outcomes.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { conclude } from '../../src/activities/conclude.ts';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { settleSubmission } from '../../src/activities/reconcile-submission.ts';
import { startItem } from '../../src/activities/rows.ts';
import { SendingNote } from '../../src/activities/sending-note.ts';
import { submit } from '../../src/activities/submit.ts';
import type { ItemJob } from '../../src/budget/queue.ts';
import type { SubmitResult } from '../../src/budget/state.ts';
import type { ItemEnd } from '../../src/domain/campaign.ts';
import { createSystemClock } from '../../src/ledger/steady-clock.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { giveBackRecord, reopenRecord } from '../../src/store/reopen.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { aJob, starterInto, submissionOf, workerWith } from './a-job.ts';

let folder: string;
beforeEach(async () => (folder = await temporaryFolder()));

const policy = { deadlineMs: 60_000, whenUnsure: 'hold' } as const;
const job = { id: 'a', kind: 'molecule', store: '', tree: '', launch: { policy } };
const HERE = { service: 'molecules', address: 'https://here', credential: 'c0ffee00' };
const note = async (attempt = 0, generation = 0, to = HERE, lanes?: readonly string[]) => {
  const noted = { ...job, generation, ...(lanes && { lanes }) };
  return new SendingNote(await openFileStore(folder), { job: noted, attempt }, to);
};
const files = () => readdir(join(folder, 'molecules', 'a')).catch(() => []);

const UNSURE: SubmitOutcome = { type: 'unsure', message: 'no answer' };
const ACCEPTED: SubmitOutcome = { type: 'accepted', remoteId: 'job-7', rateLimit: null };
const REFUSED: SubmitOutcome = { type: 'refused', status: 400, message: 'no' };
const NOT_NOW: SubmitOutcome = {
  type: 'notNow',
  reason: 'rate-limited',
  retryAfterMs: 1,
  message: 'later',
  rateLimit: null,
};

describe('the note before a submission', () => {
  test('is created by only one of many concurrent attempts', async () => {
    const notes = await Promise.all(Array.from({ length: 8 }, () => note()));
    const made = await Promise.all(notes.map((one) => one.make()));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await files()).toEqual(['sending-0-0.json']);
  });

  test.each<[string, SubmitOutcome, left: object | null]>([
    ['stays if the outcome is unknown', UNSURE, { type: 'unsure' }],
    ['contains the id of an accepted job', ACCEPTED, ACCEPTED],
    ['contains a refusal, so that the row is not sent again before its end', REFUSED, REFUSED],
    ['is removed when it is certain that no job was created', NOT_NOW, null],
  ])('%s', async (_, outcome, left) => {
    const first = await note();
    expect(await first.earlier(), 'nothing was sent').toBeNull();
    await first.make();
    await first.settle(outcome);
    const earlier = await (await note()).earlier();
    if (left) expect(earlier).toMatchObject(left);
    else expect([earlier, await files()]).toEqual([null, []]);
  });

  test('means that the outcome is unknown if its worker died, or if it cannot be read', async () => {
    const before = new Date().toISOString();
    await (await note()).make();
    const found = await (await note()).earlier();
    const { sentAt = '' } = found?.type === 'unsure' ? found : {};
    expect([before <= sentAt, sentAt <= new Date().toISOString()]).toEqual([true, true]);
    expect(await (await note(1)).earlier(), 'of the next submission').toBeNull();
    expect(await (await note(0, 1)).earlier(), 'of the next generation').toBeNull();
    await writeFile(join(folder, 'molecules', 'a', 'sending-0-0.json'), '{"at":');
    expect(await (await note()).earlier()).toMatchObject({ type: 'unsure' });
    const lanes = [HERE.address, 'https://there'];
    const end = { state: 'held', code: 'SUBMIT_UNSURE' };
    expect(await (await note(0, 0, HERE, lanes)).earlier()).toMatchObject({ type: 'over', end });
  });

  test('holds a row of unknown outcome for another token, which may not show the job', async () => {
    const first = await note();
    await first.make();
    const renewed = { ...HERE, credential: 'decaf000' };
    const earlier = async () => (await note(0, 0, renewed)).earlier();
    expect(await earlier()).toMatchObject({ type: 'over', end: { state: 'held' } });
    await first.settle(ACCEPTED);
    expect(await earlier()).toMatchObject(ACCEPTED);
  });

  test('holds the row for another service, which is not asked for the job', async () => {
    const first = await note();
    await first.make();
    const moved = () =>
      note(0, 0, { ...HERE, address: 'https://there' }).then((it) => it.earlier());
    const held = (fate: RegExp) => ({
      type: 'over',
      end: { state: 'held', message: expect.stringMatching(fate) as string },
    });
    expect(await moved()).toMatchObject(
      held(/molecules at https:\/\/here .* may have accepted it/),
    );
    await first.settle(ACCEPTED);
    expect(await moved()).toMatchObject(held(/https:\/\/here .* accepted it as job-7/));
  });

  test('leaves the row to the lane of its campaign that has made it', async () => {
    const first = await note();
    await first.make();
    const there = { ...HERE, address: 'https://there' };
    const found = async () => (await note(0, 0, there, [HERE.address, there.address])).earlier();
    const leaves = { type: 'atOtherLane', address: HERE.address };
    expect(await found()).toEqual(leaves);
    await first.settle(ACCEPTED);
    expect(await found()).toEqual(leaves);
  });

  test('stays where the service answered with a web page, so that no other lane sends the row', async () => {
    const lanes = [HERE.address, 'https://there'];
    const first = await note(0, 0, HERE, lanes);
    await first.make();
    const page = { ...NOT_NOW, reason: 'blocked', isUncertain: true } as const;
    await first.settle(page);
    const there = await note(0, 0, { ...HERE, address: 'https://there' }, lanes);
    expect(await there.earlier()).toEqual({ type: 'atOtherLane', address: HERE.address });
    expect(await first.earlier(), 'it is looked up').toMatchObject({ type: 'unsure' });
    const alone = await note(1);
    await alone.make();
    await alone.settle(page);
    expect(await alone.earlier(), 'without other lanes').toBeNull();
  });

  test('contains when it was sent and answered, also if the clock is set back in between', async () => {
    const first = await note();
    const before = Date.now();
    await first.make();
    vi.useFakeTimers({ now: before - 3_600_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await delay(30);
    const timed = first.timed(ACCEPTED);
    const { sentAt = '', answeredAt = '' } = timed.type === 'accepted' ? timed : {};
    expect(Date.parse(sentAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(answeredAt) - Date.parse(sentAt)).toBeGreaterThanOrEqual(29);
    await first.settle(timed);
    expect(await (await note()).earlier()).toEqual(timed);
  });
});

describe('a request of a row', () => {
  /** Its submission, by a worker that can send; what is sent, begun and told is noted. */
  async function openRow(change: (record: ItemRecord) => ItemRecord) {
    const { item, reference } = await aJob('molecule');
    const posts: string[] = [];
    const begun: { readonly end?: ItemEnd }[] = [];
    const told: unknown[] = [];
    const store = await openFileStore(item.store);
    const record = await readItem(store, 'molecule', 'one');
    if (!record) throw new Error('the row has no record');
    await writeItem(store, change(record));
    const client = {
      digestToRepeat: () => null,
      submit: () => {
        posts.push('one');
        return Promise.resolve(ACCEPTED);
      },
    };
    const passage = { isOpen: () => true };
    const handle = {
      signal: (_: unknown, what: unknown) => {
        told.push(what);
        return Promise.resolve();
      },
    };
    const parts = {
      fence: { isAwaited: () => Promise.resolve(true), pass: () => Promise.resolve(passage) },
      ledger: {
        reserve: () => ({ type: 'taken', id: 's' }),
        charge: () => undefined,
        free: () => undefined,
        readAnswer: () => null,
      },
      steadyClock: createSystemClock(),
      starter: starterInto(begun),
      temporal: { workflow: { getHandle: () => handle } },
    };
    const worker = workerWith(client, parts as unknown as Partial<Dependencies>);
    const send = (more: Partial<ItemJob>, to = reference) =>
      new MockActivityEnvironment({
        currentAttemptScheduledTimestampMs: Date.now(),
        workflowExecution: { workflowId: 'b', runId: 'r' },
      }).run<[], SubmitResult, () => Promise<SubmitResult>>(() =>
        submit(worker, submissionOf({ ...item, launch: { policy }, ...more }), to),
      );
    const read = () => readItem(store, 'molecule', 'one');
    return { item, reference, worker, posts, begun, told, send, read };
  }
  const now = new Date().toISOString();

  test('that has succeeded at another address since leaves its end as it is', async () => {
    const end = { state: 'succeeded', remoteId: 'job-1', address: 'engines' } as const;
    const row = await openRow((record) => ({ ...record, ...end, finishedAt: now }));
    const { item, reference, worker, begun, posts } = row;
    await row.send({});
    expect([posts, begun]).toMatchObject([[], [{ type: 'end', end: { state: 'succeeded' } }]]);
    const none = { attempts: [], files: [], submittedAt: null, timing: null, engine: null };
    const at = { remoteId: null, finishedAt: new Date(0).toISOString() };
    for (const { end: told } of begun)
      if (told) await conclude(worker, { item, reference, end: told, ...at, ...none });
    expect(await row.read()).toMatchObject({ ...end, finishedAt: now });
  });

  test('that another lane has a job for is not looked up: that lane goes on with it', async () => {
    const row = await openRow((record) => ({ ...record, remoteId: 'job-1', address: 'engines' }));
    const { item, reference, worker, told, begun } = row;
    const lanes = [reference.address, 'engines'];
    const request = submissionOf({ ...item, launch: { policy }, lanes });
    const unsure = { type: 'unsure', message: 'the worker died' } as const;
    const times = { scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 0 };
    const settled = await new MockActivityEnvironment(times).run<
      [],
      unknown,
      () => Promise<unknown>
    >(() => settleSubmission(worker, request, reference, unsure));
    expect(settled).toMatchObject({ type: 'unwanted' });
    expect([begun, told]).toEqual([[], [{ id: 'one', address: 'engines' }]]);
  });

  test('that a lane has given back is not sent by an old request, and its campaign is told', async () => {
    const row = await openRow((record) => {
      const running = { ...record, state: 'running', remoteId: 'job-1', address: 'engines' };
      return giveBackRecord(running as ItemRecord, 'engines', []);
    });
    const lanes = [row.reference.address, 'engines'];
    expect(await row.send({ generation: 0, lanes })).toMatchObject({ type: 'unwanted' });
    const back = { generation: 1, givenBack: ['engines'] };
    expect([row.posts, row.told]).toEqual([[], [{ id: 'one', back }]]);
    await row.send({ generation: 1, lanes });
    expect(row.posts).toEqual(['one']);
  });

  test('whose job was given back before its worker had reported it keeps its slot', async () => {
    const jobs = [
      { at: now, outcome: 'given-up', remoteId: 'job-1' },
      { at: now, outcome: 'given-up', remoteId: 'job-2' },
    ] as const;
    const row = await openRow((record) => {
      const begun = giveBackRecord({ ...record, remoteId: 'job-1' }, 'first', jobs.slice(0, 1));
      return giveBackRecord({ ...begun, remoteId: 'job-2' }, 'second', jobs.slice(1));
    });
    const lanes = [row.reference.address, 'first', 'second'];
    const send = (generation: number, address: string) =>
      row.send({ generation, lanes }, { ...row.reference, address });
    const isRecalled = { type: 'accepted', isRecalled: true };
    expect(await send(0, 'first')).toMatchObject({ ...isRecalled, remoteId: 'job-1' });
    expect(await send(1, 'second')).toMatchObject({ ...isRecalled, remoteId: 'job-2' });
    for (const [generation, address] of [
      [0, 'second'],
      [1, 'first'],
      [1, 'a'],
    ] as const)
      expect(await send(generation, address)).toMatchObject({ type: 'unwanted' });
    expect([row.posts, row.begun]).toEqual([[], []]);
    expect(row.told).toHaveLength(5);
  });

  test('is begun once the item of a job that was given up has closed, and not left without one', async () => {
    let running = 'job-of-before';
    const begun: string[] = [];
    const start = (_: string, { args }: { args: [{ begin: { remoteId: string } }] }) => {
      const [{ begin }] = args;
      if (running !== '') throw new WorkflowExecutionAlreadyStartedError('', '', '');
      begun.push(begin.remoteId);
      return Promise.resolve();
    };
    const describe = () => Promise.resolve({ typedSearchAttributes: { get: () => running } });
    const deps = {
      taskQueue: '',
      starter: { workflow: { start } },
      temporal: { workflow: { getHandle: () => ({ describe }) } },
    } as unknown as Dependencies;
    const { item, reference } = await aJob('molecule');
    const request = submissionOf({ ...item, generation: 1, launch: { policy } });
    const answer = { type: 'accepted', remoteId: 'job-2', rateLimit: null } as const;
    const startIt = () => startItem(deps, request, reference, answer);
    await expect(startIt()).rejects.toThrow(WorkflowExecutionAlreadyStartedError);
    running = '';
    await startIt();
    running = 'job-2';
    await startIt();
    expect(begun).toEqual(['job-2']);
  });

  test.each(['SUBMIT_UNSURE', 'SUBMIT_TAKEN', 'ITEM_ENDED_BY_HAND'])(
    'that is retried after %s is sent by the lane that has sent it before',
    async (code) => {
      const held = { state: 'held', address: 'before', finishedAt: now } as const;
      const ended = { ...held, error: { code, message: '' } };
      const row = await openRow((record) => reopenRecord({ ...record, ...ended }, now));
      const { reference, posts, told } = row;
      const lanes = ['before', reference.address];
      expect(await row.send({ generation: 1, lanes })).toMatchObject({ type: 'unwanted' });
      expect([posts, told]).toEqual([[], [{ id: 'one', address: 'before' }]]);
      await row.send({ generation: 1, lanes }, { ...reference, address: 'before' });
      expect(posts).toEqual(['one']);
    },
  );
});

test('a look-up finds the job whose answer is in the note of a worker that has lost Temporal, and asks nobody', async () => {
  const { item, reference } = await aJob('molecule');
  const store = await openFileStore(item.store);
  const request = submissionOf({ ...item, launch: { policy } });
  const sending = new SendingNote(store, request, reference);
  await sending.make();
  const begun: unknown[] = [];
  const starter = starterInto(begun);
  const cannotSay = { find: () => Promise.resolve({ type: 'unsupported' }) };
  const look = (ageMs: number) => {
    const now = Date.now();
    const times = { scheduledTimestampMs: now - ageMs, currentAttemptScheduledTimestampMs: now };
    const worker = workerWith(cannotSay, { starter });
    return new MockActivityEnvironment(times).run<[], unknown, () => Promise<unknown>>(() =>
      settleSubmission(worker, request, reference, { type: 'unsure', message: 'the worker died' }),
    );
  };
  // It may still be sending.
  await expect(look(LATEST_ACCEPTANCE_MS - 5_000)).rejects.toMatchObject({ type: 'Hindered' });
  expect(begun).toEqual([]);
  await sending.settle(ACCEPTED);
  expect(await look(5_000)).toEqual({ type: 'found' });
  expect(begun).toMatchObject([{ type: 'job', how: 'found', remoteId: 'job-7' }]);
});

test('a row of a service that cannot be asked is sent again by its lane if all are answered with a web page', async () => {
  const { item, reference } = await aJob('molecule');
  const begun: unknown[] = [];
  const cannotSay = { find: () => Promise.resolve({ type: 'unsupported' }) };
  const worker = workerWith(cannotSay, { starter: starterInto(begun) });
  const now = Date.now();
  const scheduledTimestampMs = now - LATEST_ACCEPTANCE_MS - 1_000;
  const times = { scheduledTimestampMs, currentAttemptScheduledTimestampMs: now };
  const page = { at: now, reason: 'blocked', message: 'a page', isUncertain: true } as const;
  const settle = (lanes: boolean, more: { byService?: false } = {}) => {
    const job = { ...item, launch: { policy }, ...(lanes && { lanes: ['a', 'there'] }) };
    const request = { ...submissionOf(job), turnedAway: [page] };
    const result = { type: 'unsure', message: 'a note', ...more } as const;
    return new MockActivityEnvironment(times).run<[], unknown, () => Promise<unknown>>(() =>
      settleSubmission(worker, request, reference, result),
    );
  };
  expect(await settle(true)).toMatchObject({ type: 'again', isAbsent: false });
  expect(begun).toEqual([]);
  // The only one that was answered so, or sent since.
  for (const held of [settle(true, { byService: false }), settle(false)])
    expect(await held).toEqual({ type: 'ended' });
  expect(begun).toMatchObject(Array(2).fill({ type: 'end', end: { state: 'held' } }));
});
