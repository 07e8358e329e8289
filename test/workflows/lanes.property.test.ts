/**
 * The real feeds of two or three lanes and the real queues of their budgets, in a world that delays, duplicates and loses
 * what may be delayed, duplicated and lost: each row is in one lane at a time, none is lost, and each is sent once, or
 * once more where the machine of a lane has failed.
 */
import fc from 'fast-check';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { describe, expect, test, vi } from 'vitest';
import {
  addToQueue,
  createQueue,
  sortLines,
  takeBack,
  takeTurn,
  type Queue,
  type Request,
  type TakeBack,
} from '../../src/budget/queue.ts';
import type { CampaignSpec, FeedSpec } from '../../src/domain/campaign.ts';
import { Breaker } from '../../src/workflows/breaker.ts';
import type { Feed } from '../../src/workflows/feed.ts';
import type { FeedCarried, GivenBack, ItemInput, TakenBack } from '../../src/workflows/messages.ts';

const temporal = vi.hoisted(() => ({
  /** Of the campaign. */
  run: 0,
  signal: (_workflow: string, _name: string, _what: unknown): Promise<void> => Promise.resolve(),
  activity: (_name: string, _args: readonly unknown[]): Promise<unknown> => Promise.resolve(),
  start: (_item: ItemInput): void => undefined,
}));

vi.mock('@temporalio/workflow', async (load) => ({
  ...(await load<object>()),
  workflowInfo: () => ({
    runId: `run ${temporal.run}`,
    firstExecutionRunId: 'run',
    continueAsNewSuggested: false,
  }),
  getExternalWorkflowHandle: (id: string) => ({
    signal: ({ name }: { name: string }, what: unknown) => temporal.signal(id, name, what),
  }),
  startChild: async (_: unknown, { args: [item] }: { args: [ItemInput] }) => temporal.start(item),
  CancellationScope: {
    nonCancellable: (work: () => Promise<void>) => work(),
    current: () => ({ consideredCancelled: false }),
  },
  proxyActivities: () =>
    new Proxy(
      {},
      {
        get: (_, name: string) => ({
          executeWithOptions: (_: object, args: readonly unknown[]) =>
            temporal.activity(name, args),
        }),
      },
    ),
}));
const { Feed: RealFeed } = await import('../../src/workflows/feed.ts');

const PER_PAGE = 5;
const settle = () => new Promise((resolve) => setImmediate(resolve));
const count = { count: () => undefined };

/** What a budget does, without windows: it sends when the test says so. */
interface LaneBudget {
  queue: Queue;
  /** Sent, and not answered yet: the row is not in the queue. */
  sending: Request[];
}

class World {
  rows: readonly string[];
  readonly budgets: LaneBudget[];
  feeds: Feed[] = [];
  /** Which lane has the claim of a row, the last one that was made, and how often one was made. */
  readonly claims = new Map<string, number>();
  readonly posts: string[] = [];
  readonly running = new Map<string, number>();
  readonly ended = new Set<string>();
  /** Rows whose item has told what it has given back, and has not closed. */
  readonly closing = new Set<string>();
  /** Of the records of rows that lanes have given back. */
  readonly records = new Map<string, GivenBack>();
  /** Rows that a lane has sent while they were in another. */
  readonly strays: string[] = [];
  /** Rows that a lane has sent after it had given them back. */
  readonly returned: string[] = [];
  /** Items that were begun in a lane that does not have their job. */
  readonly misplaced: string[] = [];
  #mail: (() => void)[] = [];
  /** Of the campaign. */
  #undelivered = 0;
  #working: Promise<void> | null = null;
  readonly #pages: number;
  readonly #specs: readonly FeedSpec[];

  constructor(lanes: number, rows: number, open: readonly number[]) {
    this.rows = Array.from({ length: rows }, (_, i) => `row-${i}`);
    this.#pages = Math.ceil(rows / PER_PAGE);
    this.budgets = Array.from({ length: lanes }, () => ({ queue: createQueue(), sending: [] }));
    this.#specs = this.budgets.map((_, i) => ({
      reference: { service: 'predictions', address: `lane${i}`, credential: 'c' },
      pages: this.#pages,
      open: open[i] ?? 3,
      batch: i === 0 ? 3 : 1,
    }));
    temporal.signal = (id, name, what) => this.#send(() => this.#receive(id, name, what));
    temporal.activity = async (name, [, , page]) => {
      const found = name === 'loadPage' ? this.#page(page as number) : this.#unstarted();
      // Much may happen before it is known.
      await this.#send(() => undefined);
      return found;
    };
    temporal.start = ({ id, reference, generation }) => {
      if (this.closing.has(id)) throw new WorkflowExecutionAlreadyStartedError('runs', id, 'item');
      if (generation < this.#findRecord(id).generation) return this.#tellGivenBack(id);
      const lane = this.#specs.findIndex((one) => one.reference.address === reference.address);
      if (lane !== this.claims.get(id)) this.misplaced.push(id);
      // It has ended since its page was read.
      if (this.ended.has(id)) this.feeds.find(({ open }) => open.has(id))?.ended(id);
    };
    this.begin();
  }

  begin(carried: readonly FeedCarried[] = []): void {
    const campaign = { name: 'night', store: '', tree: '', policy: {}, priority: 3, user: null };
    const breaker = new Breaker(undefined);
    this.feeds = [];
    temporal.run += 1;
    for (const [i, spec] of this.#specs.entries()) {
      const onRunning = () => Promise.resolve();
      const told = { breaker, tally: count, onRunning };
      const parts = { campaign: campaign as unknown as CampaignSpec, spec, ...told };
      const [first] = this.feeds;
      this.feeds.push(new RealFeed({ ...parts, carried: carried[i], first }));
    }
  }

  #findRecord(id: string): GivenBack {
    return this.records.get(id) ?? { generation: 0, givenBack: [] };
  }

  /** As a campaign that was terminated and is started again: it knows what is on disk. */
  #page(page: number) {
    const rows = this.rows.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
    return rows.map((id) => {
      const row = { id, kind: 'sequence', ...this.#findRecord(id) };
      if (this.ended.has(id)) return { ...row, ended: { state: 'succeeded', code: null } };
      const lane = this.running.get(id);
      if (lane === undefined) return row;
      // As `loadPage`: the first lane needs no address.
      const { address } = this.#specs[lane]!.reference;
      return { ...row, remoteId: `job of ${id}`, ...(lane > 0 && { address }) };
    });
  }

  #unstarted(): string[] {
    const open = this.feeds.flatMap((feed) => [...feed.open.keys()]);
    return open.filter((id) => !this.running.has(id) && !this.closing.has(id));
  }

  /** Nothing goes on in a campaign that was terminated meanwhile. */
  #send(deliver: () => void): Promise<void> {
    const { feeds } = this;
    this.#undelivered += 1;
    return new Promise((resolve) => {
      this.#mail.push(() => {
        deliver();
        this.#undelivered -= 1;
        if (this.feeds === feeds) resolve();
      });
    });
  }

  #receive(id: string, name: string, what: unknown): void {
    const lane = this.#specs.findIndex(({ reference }) => id.includes(reference.address));
    const budget = this.budgets[lane];
    if (!budget) throw new Error(`no budget ${id}`);
    if (name === 'request')
      for (const request of what as Request[])
        if (!budget.sending.some(({ item }) => item === request.item))
          addToQueue(budget.queue, request);
    if (name !== 'takeBack') return;
    const asked = what as TakeBack;
    const ids = takeBack(budget.queue, asked);
    const answer: TakenBack = { ...this.#specs[lane]!.reference, token: asked.token, ids };
    // It reaches the next run of the campaign as well.
    this.#mail.push(() => void this.feeds[lane]?.takenBack(answer));
  }

  /** The loop of the campaign, once. */
  work(): void {
    this.#working ??= (async () => {
      await Promise.all(this.feeds.map((feed) => feed.fill()));
      await Promise.all(this.feeds.map((feed) => feed.askOthers()));
      this.#working = null;
    })();
  }

  /** One message, of those to one receiver the first or, if it may be late, another. */
  deliver(which: number): void {
    const at = which % Math.max(1, this.#mail.length);
    const [deliver] = this.#mail.splice(at, 1);
    deliver?.();
  }

  grant(lane: number): void {
    const budget = this.budgets[lane % this.budgets.length];
    const [waiting] = budget ? sortLines(budget.queue) : [];
    if (budget && waiting) budget.sending.push(takeTurn(waiting));
  }

  /** The submission: the note is a claim. It may turn out that certainly nothing was sent. */
  submit(lane: number, isTurnedAway: boolean): void {
    const at = lane % this.budgets.length;
    const budget = this.budgets[at];
    const request = budget?.sending.shift();
    if (!budget || !request) return;
    const { id, generation } = request.job;
    if (generation < this.#findRecord(id).generation) return this.#tellGivenBack(id);
    const claim = this.claims.get(id);
    if (claim !== undefined && claim !== at) {
      const address = this.#specs[claim]!.reference.address;
      this.feeds.find(({ open }) => open.has(id))?.belongs(id, address);
      return;
    }
    // The recorded job is recalled: its end is told once more.
    if (this.ended.has(id)) this.feeds.find(({ open }) => open.has(id))?.ended(id);
    if (this.ended.has(id) || this.running.has(id)) return;
    if (isTurnedAway) {
      addToQueue(budget.queue, request);
      return;
    }
    if (this.feeds[at]?.open.has(id) !== true) this.strays.push(id);
    this.claims.set(id, at);
    if (this.#findRecord(id).givenBack.includes(this.#specs[at]!.reference.address))
      this.returned.push(id);
    this.posts.push(`${id} ${generation}`);
    this.running.set(id, at);
  }

  /** The machine of a further lane has failed. */
  giveBack(which: number): void {
    const further = [...this.running].filter(([, lane]) => lane > 0);
    const [id, lane] = further[which % Math.max(1, further.length)] ?? [];
    if (id === undefined || lane === undefined) return;
    this.running.delete(id);
    this.claims.delete(id);
    const { generation, givenBack } = this.#findRecord(id);
    const { address } = this.#specs[lane]!.reference;
    this.records.set(id, { generation: generation + 1, givenBack: [...givenBack, address] });
    for (let times = which % 2; times >= 0; times -= 1) this.#tellGivenBack(id);
    this.closing.add(id);
  }

  #tellGivenBack(id: string): void {
    const told = this.#findRecord(id);
    this.#mail.push(() => this.feeds.find(({ open }) => open.has(id))?.givenBack(id, told));
  }

  end(which: number): void {
    const id = [...this.running.keys()][which % Math.max(1, this.running.size)];
    if (id === undefined) return;
    this.running.delete(id);
    this.ended.add(id);
    this.feeds.find(({ open }) => open.has(id))?.ended(id);
  }

  /** With its queue; the watchdog starts it again, and has the campaign check its rows. */
  kill(lane: number): void {
    const budget = this.budgets[lane % this.budgets.length];
    if (!budget) return;
    budget.queue = createQueue();
    budget.sending = [];
    this.check();
  }

  check(): void {
    for (const feed of this.feeds) void feed.check(0);
  }

  /** Only where the loop stands: as `continue` in campaign.ts. */
  continueAsNew(): void {
    if (this.#working !== null || this.#undelivered > 0) return;
    this.begin(JSON.parse(JSON.stringify(this.feeds.map((feed) => feed.carried()))));
  }

  /** Its rows are in the queues of the budgets nevertheless. */
  startAgain(): void {
    this.#working = null;
    // Each row comes to the other lane first.
    this.rows = this.rows.toReversed();
    this.begin();
  }

  holds(): void {
    const open = this.feeds.flatMap((feed) => [...feed.open.keys()]);
    expect(new Set(open).size, 'rows in two lanes').toBe(open.length);
    expect(this.misplaced, 'items in a lane without their job').toEqual([]);
    expect(this.returned, 'rows that a lane got once more').toEqual([]);
    expect(new Set(this.posts).size, 'rows that were sent twice').toBe(this.posts.length);
  }

  /** Nothing is delayed any more. */
  async finish(): Promise<void> {
    this.closing.clear();
    for (let i = 0; i < 4_000 && this.ended.size < this.rows.length; i += 1) {
      if (i % 200 === 0) {
        vi.setSystemTime(Date.now() + 600_000);
        this.check();
      }
      this.work();
      this.deliver(0);
      for (const lane of this.budgets.keys()) {
        this.grant(lane);
        this.submit(lane, false);
      }
      this.end(0);
      await settle();
      this.holds();
    }
    expect([...this.ended].sort(), 'rows that have ended').toEqual([...this.rows].sort());
  }
}

const OFTEN = { work: 6, deliver: 8, grant: 4, submit: 4, end: 4 };
const DOINGS = { ...OFTEN, wait: 1, again: 1, check: 1, back: 2, close: 1 };
const listSteps = (kills: Readonly<Record<string, number>>) =>
  fc.array(
    fc.record({
      do: fc.oneof(
        ...Object.entries({ ...DOINGS, ...kills }).map(([name, weight]) => ({
          weight,
          arbitrary: fc.constant(name),
        })),
      ),
      which: fc.nat(6),
    }),
    { minLength: 20, maxLength: 150 },
  );

async function play(world: World, steps: readonly { do: string; which: number }[]) {
  for (const { do: what, which } of steps) {
    if (what === 'work') world.work();
    if (what === 'deliver') world.deliver(which);
    if (what === 'grant') world.grant(which);
    if (what === 'submit') world.submit(which, which > 4);
    if (what === 'end') world.end(which);
    if (what === 'wait') vi.setSystemTime(Date.now() + 20_000);
    if (what === 'again') world.continueAsNew();
    if (what === 'check') world.check();
    if (what === 'back') world.giveBack(which);
    if (what === 'close') world.closing.clear();
    if (what === 'kill') world.kill(which);
    if (what === 'start') world.startAgain();
    await settle();
    world.holds();
  }
  await world.finish();
}

const sizes = {
  lanes: fc.integer({ min: 2, max: 3 }),
  rows: fc.integer({ min: 1, max: 23 }),
  open: fc.array(fc.integer({ min: 3, max: 12 }), { minLength: 3, maxLength: 3 }),
};

test.each([
  ['no lane sends a row of another, also with budgets that are killed', { kill: 1 }],
  ['a campaign that is started again finds what its former run has sent', { kill: 1, start: 1 }],
])('%s', async (_, kills) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await fc.assert(
    fc.asyncProperty(fc.record({ ...sizes, steps: listSteps(kills) }), async (given) => {
      const world = new World(given.lanes, given.rows, given.open);
      await play(world, given.steps);
      if (!('start' in kills)) expect(world.strays, 'rows of another lane').toEqual([]);
    }),
    { numRuns: 500 },
  );
});

describe('lanes of one service', () => {
  const ROW = { kind: 'sequence', generation: 0 };

  /** With as many waiting rows in each, and room for five. */
  function openLanes(
    rows: readonly number[],
    { first, pages = 0 }: { first?: number; pages?: number },
  ) {
    const breaker = new Breaker(first);
    const campaign = { name: 'night', store: '', tree: '', policy: {}, priority: 3, user: null };
    const onRunning = () => Promise.resolve();
    const parts = {
      campaign: campaign as unknown as CampaignSpec,
      breaker,
      tally: count,
      onRunning,
    };
    const feeds: Feed[] = [];
    for (const [i, many] of rows.entries()) {
      const reference = { service: 'predictions', address: `lane${i}`, credential: 'c' };
      const spec = { reference, pages, open: 5, batch: 1 };
      const ids = Array.from({ length: many }, (_, n) => `row-${i}-${n}`);
      const carried = { page: 0, offset: 0, open: ids.map((id) => ({ id, ...ROW })), again: [] };
      feeds.push(new RealFeed({ ...parts, spec, carried, first: feeds[0] }));
    }
    return { feeds, breaker };
  }

  /** For how many rows budgets are asked from now on. */
  function recordAsked(): readonly number[] {
    const asked: number[] = [];
    temporal.signal = (_, __, what) => {
      asked.push((what as TakeBack).most);
      return Promise.resolve();
    };
    return asked;
  }

  test('have all ended or none: a broken engine is paused although it has one row at a time', () => {
    const { feeds } = openLanes([1, 0], {});
    const ended = () => feeds.map(({ hasEnded }) => hasEnded);
    expect(ended()).toEqual([false, false]);
    feeds[0]?.ended('row-0-0');
    expect(ended()).toEqual([true, true]);
  });

  test('are asked for no more rows than there is room for, and again only when it is time', async () => {
    const asked = recordAsked();
    const { feeds } = openLanes([5, 5, 0], {});
    const last = feeds[2]!;
    await last.askOthers();
    expect(asked.toSorted()).toEqual([2, 3]);
    expect(feeds.map(({ asksAt }) => asksAt)).toEqual([null, null, Date.now() + 20_000]);
    await last.askOthers();
    expect(asked).toHaveLength(2);
    vi.setSystemTime(Date.now() + 20_000);
    expect(last.asksAt, 'no answer has come').toBe(Date.now() + 20_000);
    for (const feed of feeds.slice(0, 2)) for (const id of feed.open.keys()) feed.ended(id);
    expect(last.asksAt, 'nobody has rows').toBeNull();
  });

  test('have more open rows where they end fast, and not the service', async () => {
    const asked = recordAsked();
    const { feeds } = openLanes([9, 20], {});
    for (const feed of feeds) for (const id of [...feed.open.keys()].slice(0, 8)) feed.ended(id);
    vi.setSystemTime(Date.now() + 1_000);
    for (const feed of feeds) await feed.askOthers();
    expect(asked, 'by the service, and not by the lane, which has 12').toEqual([4]);
    for (const id of [...feeds[1]!.open.keys()].slice(0, 8)) feeds[1]!.ended(id);
    await feeds[1]!.askOthers();
    expect(asked).toEqual([4, 5]);
    vi.setSystemTime(Date.now() + 60_000);
    await feeds[1]!.askOthers();
    expect(asked, 'when they do not end fast any more').toEqual([4, 5, 1]);
  });

  test('keep from the service what their engines end within seconds', async () => {
    const asked = recordAsked();
    const { feeds } = openLanes([0, 9], {});
    const [service, lane] = feeds as [Feed, Feed];
    for (const id of [...lane.open.keys()].slice(0, 6)) lane.ended(id);
    await service.askOthers();
    expect(asked, 'it has 3, and ends 6 in the time').toEqual([]);
    vi.setSystemTime(Date.now() + 20_000);
    await service.askOthers();
    expect(asked, 'when they do not end fast any more').toEqual([3]);
  });

  test('give an adopted job back to nobody: no other may follow it', async () => {
    const begun: ItemInput[] = [];
    temporal.start = (item) => begun.push(item);
    const row = { ...ROW, remoteId: 'job', address: 'lane1' };
    temporal.activity = () =>
      Promise.resolve([
        { ...row, id: 'own' },
        { ...row, id: 'adopted', adopted: true },
      ]);
    const { feeds } = openLanes([0, 0], { pages: 1 });
    await feeds[0]?.fill();
    expect(begun.map(({ id, givesBack }) => [id, givesBack])).toEqual([
      ['own', true],
      ['adopted', undefined],
    ]);
  });

  test('learn of a row that was given back before they began it, when its item closes', async () => {
    const begun: string[] = [];
    let isClosing = true;
    temporal.start = ({ id }) => {
      if (isClosing) throw new WorkflowExecutionAlreadyStartedError('runs', id, 'item');
      begun.push(id);
    };
    const row = { ...ROW, id: 'a', remoteId: 'job', address: 'lane1' };
    temporal.activity = (name) => Promise.resolve(name === 'loadPage' ? [row] : [row.id]);
    const { feeds } = openLanes([0, 0], { pages: 1 });
    await feeds[0]?.fill();
    isClosing = false;
    await feeds[1]?.check(0);
    expect(begun, 'it asks the record, and tells once more').toEqual(['a']);
  });

  test('give a row back once, also if that is told twice, and get it back by no late message', () => {
    const { feeds } = openLanes([0, 1], {});
    const [service, lane] = feeds as [Feed, Feed];
    const back = { generation: 1, givenBack: ['lane1'] };
    expect(lane.givenBack('row-1-0', back)).toBe(true);
    expect(service.givenBack('row-1-0', back)).toBe(false);
    service.belongs('row-1-0', 'lane1');
    expect(feeds.map(({ open }) => open.size)).toEqual([1, 0]);
  });

  test('need no first rows where one has succeeded before', async () => {
    temporal.activity = () =>
      Promise.resolve([{ id: 'a', ...ROW, ended: { state: 'succeeded', code: null } }]);
    const { feeds, breaker } = openLanes([0, 0], { first: 3, pages: 1 });
    expect(breaker.room('predictions', 'sequence', 9)).toBe(0);
    await feeds[0]?.fill();
    for (const { lane } of feeds) expect(breaker.room(lane, 'sequence', 9)).toBe(Infinity);
  });
});
