/** Random histories of several processes on one file while the wall clock is stepped, against a naive model. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GUARD_MS } from '../../src/budget/policy.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { submission, TestClock, WINDOW_MS } from './a-ledger.ts';

const WINDOWS = [
  { limit: 3, windowMs: WINDOW_MS },
  { limit: 5, windowMs: 3 * WINDOW_MS },
];
const SERVERS = 3;

/** What happens, and how often. */
const DOINGS = { pass: 3, set: 2, reserve: 6, close: 3, 'close without a job': 1, die: 1 };

const step = fc.record({
  do: fc.constantFrom(
    ...Object.entries(DOINGS).flatMap(([name, times]) =>
      Array<keyof typeof DOINGS>(times).fill(name as keyof typeof DOINGS),
    ),
  ),
  ms: fc.nat(WINDOW_MS / 2),
  byMs: fc.integer({ min: -7_200_000, max: 7_200_000 }),
  server: fc.nat(SERVERS - 1),
  post: fc.nat(5),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A POST in true time. */
interface Post {
  readonly id: string;
  readonly claim: string;
  readonly server: number;
  readonly startedAt: number;
  end: { readonly at: number; readonly as: 'charged' | 'free' } | null;
  dead: boolean;
}

/** When a POST no longer counts, by the definition alone: whenever the service stamped its job, no window overflows. */
function countsUntil({ startedAt, end }: Post, windowMs: number): number {
  if (end?.as === 'free') return Number.NEGATIVE_INFINITY;
  return (end?.at ?? startedAt + LATEST_ACCEPTANCE_MS) + windowMs + GUARD_MS;
}

class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'hundredfold-ledger-'));
  readonly clock = new TestClock();
  readonly posts: Post[] = [];
  readonly #ledgers: Ledger[] = Array.from({ length: SERVERS }, () => this.#open());

  take(given: Step): void {
    const { ms, byMs, server } = given;
    if (given.do === 'pass') this.clock.pass(ms);
    if (given.do === 'set') this.clock.set(this.clock.wallMs + byMs);
    if (given.do === 'reserve') this.#reserve(server);
    if (given.do === 'close') this.#close(given.post, 'charged');
    if (given.do === 'close without a job') this.#close(given.post, 'free');
    if (given.do !== 'die') return;
    this.#ledgers[server]?.stop();
    this.#ledgers[server] = this.#open();
    for (const post of this.posts) if (post.server === server) post.dead = true;
  }

  clear(): void {
    for (const ledger of this.#ledgers) ledger.stop();
    rmSync(this.folder, { recursive: true });
  }

  #reserve(server: number): void {
    const claim = `post ${this.posts.length}`;
    const now = this.clock.steadyMs;
    const full = WINDOWS.filter(({ limit, windowMs }) => {
      const counted = this.posts.filter((post) => countsUntil(post, windowMs) > now);
      return counted.length >= limit;
    });
    const request = { ...submission(claim, null), windows: WINDOWS };
    const found = this.#ledgerOf(server).reserve(request);
    expect(found.type).toBe(full.length === 0 ? 'taken' : 'full');
    if (found.type !== 'taken') return;
    const { id } = found;
    this.posts.push({ id, claim, server, startedAt: now, end: null, dead: false });
  }

  /** An answer arrives within the maximum duration of a POST. */
  #close(nth: number, as: 'charged' | 'free'): void {
    const now = this.clock.steadyMs;
    const open = this.posts.filter(
      ({ end, dead, startedAt }) => !end && !dead && now <= startedAt + LATEST_ACCEPTANCE_MS,
    );
    const post = open[nth % Math.max(1, open.length)];
    if (!post) return;
    const ledger = this.#ledgerOf(post.server);
    if (as === 'charged') ledger.charge(post.claim, null);
    else ledger.free(post.id);
    post.end = { at: now, as };
  }

  #ledgerOf(server: number): Ledger {
    return this.#ledgers[server] as Ledger;
  }

  #open(): Ledger {
    const { folder, clock } = this;
    return new Ledger({ folder, clock });
  }
}

test('steps of the wall clock have no effect: every window of elapsed time has exactly its limit', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (history) => {
      const world = new World();
      try {
        for (const one of history) world.take(one);
      } finally {
        world.clear();
      }
    }),
    { numRuns: 80 },
  );
});
