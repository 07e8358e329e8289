/**
 * Three senders of one row, and somebody who cancels it, in random orders of their steps on the tree: the activities
 * themselves, of which only one moves at a time, and any may die before its next step.
 */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createRandom } from '../../packages/local-services/src/faults.ts';
import { conclude } from '../../src/activities/conclude.ts';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { submit } from '../../src/activities/submit.ts';
import { type ItemEnd, isFinal } from '../../src/domain/campaign.ts';
import type { SubmitOutcome } from '../../src/domain/outcomes.ts';
import { createSystemClock } from '../../src/ledger/steady-clock.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { readItem } from '../../src/store/item-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { SubmitResult } from '../../src/budget/state.ts';
import type { RemoteJob } from '../../src/workflows/activity-types.ts';
import { aJob, starterInto, submissionOf, workerWith } from './a-job.ts';

/** A note that is removed before the end is written shows in the 45th, a record that is not read again in the third. */
const ORDERS = 90;
const SENDERS = 3;
/** How often a sender tries again after a 429. */
const AGAIN = 1;
const DEATH = 0.02;
/** How often one that is about to change something is put behind all others. */
const BEHIND = 0.15;
const CHANGES: ReadonlySet<string> = new Set(['create', 'write', 'replace', 'remove', 'submit']);

/** Lets one of several move at a time, from one step to the next. */
class Turns {
  readonly random: () => number;
  readonly #waiting: { readonly who: number; readonly go: () => void }[] = [];
  #stopped = Promise.withResolvers<null>();
  /** In every third order, one goes on until it is about to change something, and then perhaps all others before it. */
  readonly #isInTurn: boolean;
  #order = Array.from({ length: SENDERS + 1 }, (_, who) => who);
  readonly #bias: number;
  readonly #death: number;
  deaths = 0;

  /** Every second order without deaths, and with those first that have waited longest or shortest. */
  constructor(seed: number) {
    this.random = createRandom(seed);
    this.#death = seed % 2 === 0 ? 0 : DEATH;
    this.#isInTurn = seed % 3 === 0;
    this.#bias = seed % 3 === 1 ? 2 : 0.5;
  }

  /** Before each step. */
  async take(who: number, step: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<null>();
    this.#waiting.push({ who, go: () => resolve(null) });
    if (CHANGES.has(step) && this.random() < BEHIND)
      this.#order = [...this.#order.filter((one) => one !== who), who];
    this.#stopped.resolve(null);
    await promise;
  }

  /** Until all have ended or died. */
  async play(lives: readonly ((who: number) => Promise<void>)[]): Promise<void> {
    const failed: unknown[] = [];
    for (const [who, live] of lives.entries())
      await this.#move(() => {
        live(who)
          .catch((error: unknown) => failed.push(error))
          .finally(() => this.#stopped.resolve(null));
      });
    while (this.#waiting.length > 0) {
      const at = this.#isInTurn
        ? this.#findFirst()
        : Math.floor(this.random() ** this.#bias * this.#waiting.length);
      const [next] = this.#waiting.splice(at, 1);
      if (this.random() < this.#death) this.deaths += 1;
      else if (next) await this.#move(next.go);
    }
    expect(failed).toEqual([]);
  }

  /** Of those that wait. */
  #findFirst(): number {
    const ranks = this.#waiting.map(({ who }) => this.#order.indexOf(who));
    return ranks.indexOf(Math.min(...ranks));
  }

  async #move(go: () => void): Promise<void> {
    this.#stopped = Promise.withResolvers();
    go();
    await this.#stopped.promise;
  }
}

/** Takes a turn before each call. */
function takeTurns(store: Store, turns: Turns, who: number): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'list') return value.bind(target) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        await turns.take(who, String(name));
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** Counts what it gets; it answers by chance. */
class Service {
  readonly #turns: Turns;
  jobs = 0;
  /** POSTs after one that had its final answer. */
  repeated = 0;
  isTold = false;
  #isAnswered = false;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  answer(): SubmitOutcome {
    if (this.#isAnswered) this.repeated += 1;
    const chance = this.#turns.random();
    if (chance < 0.3)
      return {
        type: 'notNow',
        reason: 'rate-limited',
        retryAfterMs: 1,
        message: '',
        rateLimit: null,
      };
    this.#isAnswered = true;
    if (chance < 0.4) return { type: 'refused', status: 400, message: 'no' };
    if (chance < 0.5) return { type: 'unsure', message: 'the connection was refused' };
    this.jobs += 1;
    if (chance < 0.6) return { type: 'unsure', message: 'the answer was lost' };
    this.isTold = true;
    return { type: 'accepted', remoteId: 'job-1', rateLimit: null };
  }
}

class Row {
  readonly turns: Turns;
  readonly service: Service;
  readonly #job: RemoteJob;

  constructor(job: RemoteJob, seed: number) {
    this.#job = job;
    this.turns = new Turns(seed);
    this.service = new Service(this.turns);
  }

  /** Each on a machine of its own: the address of the tree is another for everybody. */
  #of(who: number) {
    const { item, reference } = this.#job;
    const { turns, service } = this;
    const client = {
      digestToRepeat: () => null,
      submit: async () => {
        await turns.take(who, 'submit');
        return service.answer();
      },
    };
    const deps = workerWith(client, {
      openStore: async (address: string) =>
        takeTurns(await openFileStore(address.slice(1)), turns, who),
      fence: {
        isAwaited: () => Promise.resolve(true),
        pass: () => Promise.resolve({ isOpen: () => true }),
      },
      ledger: {
        reserve: () => ({ type: 'taken', id: 's' }),
        charge: () => undefined,
        free: () => undefined,
        readAnswer: () => null,
      },
      steadyClock: createSystemClock(),
      starter: starterInto([]),
      temporal: { workflow: { getHandle: () => ({ signal: () => Promise.resolve() }) } },
    } as unknown as Partial<Dependencies>);
    return { deps, item: { ...item, store: `${who}${item.store}` }, reference };
  }

  readonly send = async (who: number): Promise<void> => {
    const { deps, item, reference } = this.#of(who);
    const request = submissionOf({ ...item, launch: { policy: {} } } as never);
    for (let tries = 0; tries <= AGAIN; tries += 1) {
      const at = Date.now();
      const environment = new MockActivityEnvironment({
        currentAttemptScheduledTimestampMs: at,
        workflowExecution: { workflowId: 'b', runId: 'r' },
      });
      const result = await environment.run<[], SubmitResult, () => Promise<SubmitResult>>(() =>
        submit(deps, request, reference),
      );
      if (result.type === 'notNow') continue;
      const end = endAfter(result);
      const remoteId = result.type === 'accepted' ? result.remoteId : null;
      return this.#end(who, end, remoteId);
    }
  };

  readonly cancel = (who: number): Promise<void> =>
    this.#end(who, createEnd('cancelled', 'CANCELLED'), null);

  async #end(who: number, end: ItemEnd, remoteId: string | null): Promise<void> {
    const { deps, item, reference } = this.#of(who);
    const rest = { attempts: [], files: [], submittedAt: null, timing: null, engine: null };
    const finishedAt = new Date(Date.UTC(2026, 10, 1, who)).toISOString();
    await conclude(deps, { item, reference, end, remoteId, finishedAt, ...rest });
  }
}

const createEnd = (state: ItemEnd['state'], code: string) =>
  ({ state, code, message: 'why' }) as ItemEnd;

function endAfter(result: SubmitResult): ItemEnd {
  if (result.type === 'over') return result.end;
  if (result.type === 'unsure') return createEnd('held', 'SUBMIT_UNSURE');
  if (result.type === 'accepted') return createEnd('failed', 'JOB_FAILED');
  expect(result).toMatchObject({ type: 'refused' });
  return createEnd('failed', 'SUBMIT_REFUSED');
}

test('three senders of a row make at most one job, whenever one dies and whoever cancels the row', async () => {
  let jobs = 0;
  for (let seed = 1; seed <= ORDERS; seed += 1) {
    const job = await aJob('molecule');
    const { turns, service, send, cancel } = new Row(job, seed);
    await turns.play([...Array.from({ length: SENDERS }, () => send), cancel]);
    const { jobs: made, repeated, isTold } = service;
    expect({ made: Math.max(made, 1), repeated }, `seed ${seed}`).toEqual({ made: 1, repeated: 0 });
    jobs += made;
    if (turns.deaths > 0) continue;
    const record = await readItem(await openFileStore(job.item.store), 'molecule', 'one');
    expect(record?.state, `seed ${seed}`).toSatisfy(isFinal);
    expect(record?.remoteId, `seed ${seed}`).toBe(isTold ? 'job-1' : null);
  }
  expect(jobs).toBeGreaterThan(ORDERS / 20);
});
