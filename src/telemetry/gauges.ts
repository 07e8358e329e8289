/** The gauges of the current state (standing.ts). Unknown values are absent, not zero. */
import { Gauge, type Registry } from 'prom-client';
import type { BudgetStatus, WindowStatus } from '../budget/status.ts';
import type { ServiceReference } from '../domain/campaign.ts';

function gauge<L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> {
  return new Gauge({ name: `hundredfold_${name}`, help, labelNames, registers: [] });
}

export class ServerGauges {
  readonly reachable = gauge(
    'temporal_reachable',
    '1 when Temporal answered the last time it was asked, 0 when it did not',
  );
  readonly campaigns = gauge('campaigns_open', 'Campaigns of the task queue that run');
  readonly items = gauge(
    'items_open',
    'Items of the task queue that have begun and not ended, by state',
    'state',
  );
  readonly held = gauge('items_held', 'Runs of items that ended as held in the last 24 hours');
  readonly pollers = gauge(
    'task_queue_pollers',
    'Processes that polled the task queue in the last minutes, as the server lists them',
    ...(['task_queue', 'type'] as const),
  );
  readonly backlog = gauge(
    'task_queue_backlog',
    'Tasks that wait in the task queue (approximate)',
    ...(['task_queue', 'type'] as const),
  );
  readonly backlogAge = gauge(
    'task_queue_backlog_age_seconds',
    'Age of the oldest task that waits in the task queue (approximate)',
    ...(['task_queue', 'type'] as const),
  );

  constructor(registry: Registry) {
    registry.registerMetric(this.reachable);
    for (const one of this.#known()) registry.registerMetric(one);
  }

  forget(): void {
    // `reset` sets a gauge without labels to 0; `remove` removes it.
    for (const one of [this.campaigns, this.held]) one.remove();
    for (const one of [this.items, this.pollers, this.backlog, this.backlogAge]) one.reset();
  }

  #known(): Gauge[] {
    const { campaigns, held, items, pollers, backlog, backlogAge } = this;
    return [campaigns, held, items, pollers, backlog, backlogAge];
  }
}

type OfCredential = 'service' | 'credential';
const OF_CREDENTIAL: readonly OfCredential[] = ['service', 'credential'];

export class BudgetGauges {
  readonly #slots = gauge<OfCredential | 'state'>(
    'budget_slots',
    'Slots of the rolling window, charged or free; free is absent without a limit',
    ...OF_CREDENTIAL,
    'state',
  );
  readonly #limit = gauge(
    'budget_slots_limit',
    'Jobs that the window allows; absent without a limit',
    ...OF_CREDENTIAL,
  );
  readonly #nextSlot = gauge(
    'budget_next_slot_seconds',
    'Time until a job may be sent, 0 for now; absent when it depends on an answer that is still due',
    ...OF_CREDENTIAL,
  );
  readonly #blocked = gauge(
    'budget_blocked',
    '1 while nothing is sent because of an answer of the service',
    ...OF_CREDENTIAL,
  );
  readonly #refused = gauge(
    'budget_refused',
    '1 while the service refuses this credential, or all that comes from here, and no single row',
    ...OF_CREDENTIAL,
  );
  readonly #unexplained = gauge(
    'budget_unexplained_rejections',
    '429s that our own jobs do not explain, since the budget began',
    ...OF_CREDENTIAL,
  );
  readonly #waiting = gauge('budget_waiting_items', 'Items that wait for a slot', ...OF_CREDENTIAL);
  readonly #outstanding = gauge(
    'budget_outstanding_submissions',
    'Submissions on their way, of all credentials of the address',
    'service',
  );
  readonly #all: readonly Gauge[] = [
    ...[this.#slots, this.#limit, this.#nextSlot, this.#blocked],
    ...[this.#refused, this.#unexplained, this.#waiting, this.#outstanding],
  ];

  constructor(registry: Registry) {
    for (const one of this.#all) registry.registerMetric(one);
  }

  forget(): void {
    for (const one of this.#all) one.reset();
  }

  /** @param found the budget of each reference; null if there is none */
  show(references: readonly ServiceReference[], found: readonly (BudgetStatus | null)[]): void {
    this.forget();
    for (const [i, { service, credential }] of references.entries()) {
      const status = found[i];
      const window = status?.credentials.find((one) => one.credential === credential);
      if (!status || !window) continue;
      const labels = { service, credential };
      this.#window(labels, window, status);
      const lanes = status.waiting.filter((one) => one.credential === credential);
      this.#waiting.set(
        labels,
        lanes.reduce((sum, { items }) => sum + items, 0),
      );
      this.#unexplained.set(labels, window.strangers?.count ?? 0);
      this.#outstanding.set({ service }, status.outstanding);
    }
  }

  /** A job needs a slot of the credential and one of the address. */
  #window(
    labels: Record<OfCredential, string>,
    own: WindowStatus,
    { now, addressWindow: shared }: BudgetStatus,
  ): void {
    this.#slots.set({ ...labels, state: 'charged' }, own.charged);
    const free = [own.free, shared.free].filter((one) => one !== null);
    if (free.length > 0) this.#slots.set({ ...labels, state: 'free' }, Math.min(...free));
    if (own.limit !== null) this.#limit.set(labels, own.limit);
    if (own.nextFreeAt !== null && shared.nextFreeAt !== null) {
      const at = Math.max(own.nextFreeAt, shared.nextFreeAt);
      this.#nextSlot.set(labels, Math.max(0, at - now) / 1_000);
    }
    const isBlocked = own.blockedUntil !== null || shared.blockedUntil !== null;
    this.#blocked.set(labels, isBlocked ? 1 : 0);
    this.#refused.set(labels, own.refusal || shared.refusal ? 1 : 0);
  }
}
