/** Random histories of several processes on one file while the wall clock is stepped, against a naive model. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GUARD_MS } from '../../src/budget/window.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { submission, TestClock, WINDOW_MS } from './a-ledger.ts';

const LIMIT = 3;
const SERVERS = 3;

type Step =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set'; readonly byMs: number }
  | { readonly do: 'reserve' | 'die'; readonly server: number }
  | { readonly do: 'close'; readonly post: number; readonly as: 'charged' | 'free' };

const server = fc.nat(SERVERS - 1);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.nat(WINDOW_MS / 2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('set'),
        byMs: fc.integer({ min: -7_200_000, max: 7_200_000 }),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('reserve'), server }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('close'),
        post: fc.nat(5),
        as: fc.constantFrom('charged', 'charged', 'free'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('die'), server }) },
  ),
  { minLength: 20, maxLength: 120 },
);

/** A POST in true time. */
interface Post {
  readonly id: string;
  readonly server: number;
  readonly startedAt: number;
  end: { readonly at: number; readonly as: 'charged' | 'free' } | null;
  dead: boolean;
}

/** When a POST no longer counts, by the definition alone. */
function countsUntil({ startedAt, end }: Post): number {
  if (end?.as === 'free') return Number.NEGATIVE_INFINITY;
  return (end?.at ?? startedAt + LATEST_ACCEPTANCE_MS) + WINDOW_MS + GUARD_MS;
}

class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'hundredfold-ledger-'));
  readonly clock = new TestClock();
  readonly posts: Post[] = [];
  readonly #ledgers: Ledger[] = Array.from({ length: SERVERS }, (_, n) => this.#open(n));

  take(step: Step): void {
    switch (step.do) {
      case 'pass':
        this.clock.pass(step.ms);
        return;
      case 'set':
        this.clock.set(this.clock.wallMs + step.byMs);
        return;
      case 'reserve':
        this.#reserve(step.server);
        return;
      case 'close':
        this.#close(step);
        return;
      case 'die':
        this.#ledgers[step.server]?.stop();
        this.#ledgers[step.server] = this.#open(step.server);
        for (const post of this.posts) if (post.server === step.server) post.dead = true;
    }
  }

  clear(): void {
    for (const ledger of this.#ledgers) ledger.stop();
    rmSync(this.folder, { recursive: true });
  }

  #reserve(server: number): void {
    const id = `post ${this.posts.length}`;
    const now = this.clock.steadyMs;
    const counted = this.posts.filter((post) => countsUntil(post) > now).length;
    const { type } = this.#ledgerOf(server).reserve(submission(id, LIMIT));
    expect(type).toBe(counted < LIMIT ? 'taken' : 'full');
    if (type === 'taken') this.posts.push({ id, server, startedAt: now, end: null, dead: false });
  }

  /** An answer arrives within the maximum duration of a POST. */
  #close({ post: nth, as }: Extract<Step, { do: 'close' }>): void {
    const now = this.clock.steadyMs;
    const open = this.posts.filter(
      ({ end, dead, startedAt }) => !end && !dead && now <= startedAt + LATEST_ACCEPTANCE_MS,
    );
    const post = open[nth % Math.max(1, open.length)];
    if (!post) return;
    this.#ledgerOf(post.server).close(post.id, as);
    post.end = { at: now, as };
  }

  #ledgerOf(server: number): Ledger {
    return this.#ledgers[server] as Ledger;
  }

  #open(server: number): Ledger {
    const { folder, clock } = this;
    return new Ledger({ folder, owner: `server ${server}`, clock });
  }
}

/** Whenever during a POST the service stamped its job: no window of true time contains more than the limit. */
function assertNeverOver(posts: readonly Post[]): void {
  const jobs = posts.filter(({ end }) => end?.as !== 'free');
  for (const { startedAt } of jobs) {
    const before = jobs.filter(
      (job) =>
        job.startedAt <= startedAt &&
        (job.end?.at ?? job.startedAt + LATEST_ACCEPTANCE_MS) > startedAt - WINDOW_MS,
    );
    expect(before.length).toBeLessThanOrEqual(LIMIT);
  }
}

test('steps of the wall clock have no effect: every window of elapsed time has exactly the limit', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const world = new World();
      try {
        for (const step of history) world.take(step);
        assertNeverOver(world.posts);
      } finally {
        world.clear();
      }
    }),
    { numRuns: 80 },
  );
});
