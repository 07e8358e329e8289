import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  apply,
  decide,
  newBudget,
  type BudgetState,
  type Closing,
  type Grant,
} from '../../src/budget/budget.ts';
import { ServiceModel } from './service-model.ts';

/** Random histories in CI; `HISTORIES=1000000 npm test -- test/budget` for a night. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 5_000);

const CREDENTIALS = ['alice', 'bob'] as const;
const CAMPAIGNS = ['day', 'night'] as const;

interface Step {
  readonly waitMs: number;
  readonly arrivals: readonly { credential: number; campaign: number }[];
  /** Where between start and close the service stamps, and how long the answer takes. */
  readonly stampAt: number;
  readonly latencyMs: number;
  readonly outcome: 'accepted' | 'refused' | 'notNow' | 'rateLimited' | 'unsure' | 'lost';
  readonly closes: number;
  readonly control: 'none' | 'pause' | 'resume' | 'withdraw' | 'restart';
}

const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.nat({ max: 700 }),
  arrivals: fc.array(fc.record({ credential: fc.nat({ max: 1 }), campaign: fc.nat({ max: 1 }) }), {
    maxLength: 4,
  }),
  stampAt: fc.double({ min: 0, max: 1, noNaN: true }),
  latencyMs: fc.nat({ max: 400 }),
  outcome: fc.constantFrom(
    'accepted',
    'accepted',
    'refused',
    'notNow',
    'rateLimited',
    'unsure',
    'lost',
  ),
  closes: fc.nat({ max: 6 }),
  control: fc.constantFrom('none', 'none', 'none', 'pause', 'resume', 'withdraw', 'restart'),
});

const history = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  addressLimit: fc.integer({ min: 1, max: 6 }),
  windowMs: fc.integer({ min: 200, max: 2_000 }),
  steps: fc.array(step, { minLength: 1, maxLength: 40 }),
});

/** A budget, the service behind it, and a clock: plays histories and checks the invariants at every step. */
class Play {
  now = 1_000_000;
  state: BudgetState = newBudget();
  readonly address: ServiceModel;
  readonly credentials: Record<string, ServiceModel>;
  readonly open: { grant: Grant; startedAt: number }[] = [];
  readonly asked = new Map<string, string>();
  private next = 0;

  constructor({
    limit,
    addressLimit,
    windowMs,
  }: {
    limit: number;
    addressLimit: number;
    windowMs: number;
  }) {
    this.address = new ServiceModel(addressLimit, windowMs);
    this.credentials = Object.fromEntries(
      CREDENTIALS.map((c) => [c, new ServiceModel(limit, windowMs)]),
    );
    for (const credential of CREDENTIALS) {
      const credentialLimit = { limit, windowMs };
      const both = { credentialLimit, addressLimit: { limit: addressLimit, windowMs } };
      apply(this.state, { type: 'configure', credential, ...both }, this.now);
    }
  }

  play(one: Step): void {
    for (const { credential, campaign } of one.arrivals) this.ask(credential, campaign);
    this.control(one.control);
    this.decide();
    this.now += one.latencyMs;
    for (const { grant, startedAt } of this.open.splice(0, one.closes))
      this.close(grant, startedAt, one);
    this.decide();
    this.now += one.waitMs;
    this.decide();
  }

  decide(): number | null {
    const { grants, wakeAt } = decide(this.state, this.now);
    for (const grant of grants) this.open.push({ grant, startedAt: this.now });
    if (wakeAt !== null) expect(wakeAt, 'a wake-up lies in the future').toBeGreaterThan(this.now);
    expect(decide(this.state, this.now).grants, 'everything free was given out at once').toEqual(
      [],
    );
    return wakeAt;
  }

  private ask(credential: number, campaign: number): void {
    const item = `item-${this.next++}`;
    const request = {
      item,
      campaign: CAMPAIGNS[campaign] as string,
      credential: CREDENTIALS[credential] as string,
      attempt: 0,
      weight: campaign + 1,
      job: { id: item, kind: 'sequence', generation: 0, store: '' },
    };
    this.asked.set(item, request.campaign);
    apply(this.state, { type: 'request', request }, this.now);
  }

  private control(what: Step['control']): void {
    const [item] = this.asked.keys();
    if (what === 'pause' || what === 'resume') {
      apply(this.state, { type: 'pause', campaign: 'day', paused: what === 'pause' }, this.now);
    }
    if (
      what === 'withdraw' &&
      item &&
      !this.open.some(({ grant }) => grant.request.item === item)
    ) {
      apply(this.state, { type: 'withdraw', item }, this.now);
      this.asked.delete(item);
    }
    // Continue-as-new: the state travels as JSON.
    if (what === 'restart') this.state = JSON.parse(JSON.stringify(this.state)) as BudgetState;
  }

  private close({ request }: Grant, startedAt: number, { outcome, stampAt }: Step): void {
    const model = this.credentials[request.credential] as ServiceModel;
    const stamp = Math.floor(startedAt + stampAt * (this.now - startedAt));
    const accepts = outcome === 'accepted' || outcome === 'unsure';
    if (accepts) {
      model.accept(stamp);
      this.address.accept(stamp);
    }
    const remaining = model.limit - model.countAt(stamp);
    apply(
      this.state,
      { type: 'close', item: request.item, closing: closingOf(outcome, remaining) },
      this.now,
    );
    if (outcome !== 'notNow' && outcome !== 'rateLimited') this.asked.delete(request.item);
    this.checkWindows();
  }

  checkWindows(): void {
    for (const model of [this.address, ...Object.values(this.credentials)]) {
      expect(model.fullestWindow(), 'jobs in the fullest window').toBeLessThanOrEqual(model.limit);
    }
  }

  /** Lets time pass until nobody waits: everyone who is not withdrawn gets a turn. */
  drain(): void {
    apply(this.state, { type: 'pause', campaign: 'day', paused: false }, this.now);
    const accept = { outcome: 'accepted', stampAt: 0.5 } as Step;
    for (let turn = 0; this.asked.size > 0 && turn < 5_000; turn += 1) {
      const wakeAt = this.decide();
      this.now += 5;
      for (const { grant, startedAt } of this.open.splice(0)) this.close(grant, startedAt, accept);
      if (wakeAt !== null) this.now = Math.max(this.now, wakeAt);
    }
    expect([...this.asked.keys()], 'items that never got their turn').toEqual([]);
  }
}

function closingOf(outcome: Step['outcome'], remaining: number): Closing {
  const message = outcome;
  switch (outcome) {
    case 'accepted':
      return { type: 'accepted', rateLimit: { limit: null, remaining, resetAfterSeconds: null } };
    case 'notNow':
      return { type: 'notNow', reason: 'unavailable', retryAfterMs: null, message };
    case 'rateLimited':
      return { type: 'notNow', reason: 'rate-limited', retryAfterMs: 300, message };
    case 'refused':
      return { type: 'refused' };
    case 'unsure':
    case 'lost':
      return { type: 'unsure' };
  }
}

describe('the budget, against a service that counts every stamp', () => {
  test('never lets a window overflow, gives out every free slot at once, and starves nobody', () => {
    fc.assert(
      fc.property(history, ({ steps, ...limits }) => {
        const play = new Play(limits);
        for (const one of steps) play.play(one);
        play.drain();
      }),
      { numRuns: HISTORIES },
    );
  }, 240_000);
});
