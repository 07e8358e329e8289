/** The gauges of the current state (standing.ts). */
import type { MetricGauge, MetricMeter, MetricTags } from '@temporalio/common';
import type { BudgetStatus, CredentialStatus } from '../budget/status.ts';
import type { ServiceReference } from '../domain/campaign.ts';

/** What is not known any more is NaN: the exporter cannot take a series back, and an old number would hide a problem. */
class StateGauge {
  readonly #gauge: MetricGauge;
  readonly #shown = new Map<string, MetricTags>();

  constructor(meter: MetricMeter, name: string, help: string) {
    this.#gauge = meter.createGauge(`hundredfold_${name}`, 'float', '', help);
  }

  set(value: number, tags: MetricTags = {}): void {
    this.#shown.set(JSON.stringify(tags), tags);
    this.#gauge.set(value, tags);
  }

  forget(): void {
    for (const tags of this.#shown.values()) this.#gauge.set(Number.NaN, tags);
  }
}

class Gauges {
  readonly #meter: MetricMeter;
  readonly #all: StateGauge[] = [];

  constructor(meter: MetricMeter) {
    this.#meter = meter;
  }

  protected gauge(name: string, help: string): StateGauge {
    const made = new StateGauge(this.#meter, name, help);
    this.#all.push(made);
    return made;
  }

  forget(): void {
    for (const one of this.#all) one.forget();
  }
}

export class ServerGauges extends Gauges {
  readonly reachable = this.gauge(
    'temporal_reachable',
    '1 when Temporal answered the last time it was asked, 0 when it did not',
  );
  readonly campaigns = this.gauge('campaigns_open', 'Campaigns of the task queue that run');
  readonly items = this.gauge(
    'items_open',
    'Items of the task queue that have begun and not ended, by state',
  );
  readonly held = this.gauge('items_held', 'Runs of items that ended as held in the last 24 hours');
  readonly pollers = this.gauge(
    'task_queue_pollers',
    'Processes that polled the task queue in the last minutes, as the server lists them',
  );
  readonly backlog = this.gauge(
    'task_queue_backlog',
    'Tasks that wait in the task queue (approximate)',
  );
  readonly backlogAge = this.gauge(
    'task_queue_backlog_age_seconds',
    'Age of the oldest task that waits in the task queue (approximate)',
  );
}

export class BudgetGauges extends Gauges {
  readonly #slots = this.gauge('budget_slots', 'Slots of each rolling window, charged or free');
  readonly #limit = this.gauge(
    'budget_slots_limit',
    'Jobs that each window allows; absent without a limit',
  );
  readonly #open = this.gauge(
    'budget_open_jobs',
    'Jobs that are accepted and have not ended; absent without a bound',
  );
  readonly #openLimit = this.gauge(
    'budget_open_jobs_limit',
    'Open jobs at most; absent without a bound',
  );
  readonly #nextSlot = this.gauge(
    'budget_next_slot_seconds',
    'Time until a job may be sent, 0 for now; NaN when it depends on an answer that is still due',
  );
  readonly #blocked = this.gauge(
    'budget_blocked',
    '1 while nothing is sent because of an answer of the service',
  );
  readonly #refused = this.gauge(
    'budget_refused',
    '1 while the service refuses this credential, or all that comes from here, and no single row',
  );
  readonly #unexplained = this.gauge(
    'budget_unexplained_rejections',
    '429s that our own jobs do not explain, since the budget began',
  );
  readonly #waiting = this.gauge('budget_waiting_items', 'Items that wait for a slot');
  readonly #outstanding = this.gauge(
    'budget_outstanding_submissions',
    'Submissions on their way, of all credentials of the address',
  );

  /** @param found the budget of each reference; null if there is none */
  show(references: readonly ServiceReference[], found: readonly (BudgetStatus | null)[]): void {
    this.forget();
    for (const [i, { service, credential }] of references.entries()) {
      const status = found[i];
      const own = status?.credentials.find((one) => one.credential === credential);
      if (!status || !own) continue;
      const labels = { service, credential };
      this.#account(labels, own, status);
      const lanes = status.waiting.filter((one) => one.credential === credential);
      const waiting = lanes.reduce((sum, { items }) => sum + items, 0);
      this.#waiting.set(waiting, labels);
      this.#unexplained.set(own.strangers?.count ?? 0, labels);
      this.#outstanding.set(status.outstanding, { service });
    }
  }

  #account(
    labels: Readonly<Record<'service' | 'credential', string>>,
    own: CredentialStatus,
    { now, addressBlock: shared }: BudgetStatus,
  ): void {
    for (const { limit, windowMs, charged, free } of own.windows) {
      const window = { ...labels, window: `${windowMs / 1_000}s` };
      this.#slots.set(charged, { ...window, state: 'charged' });
      this.#slots.set(free, { ...window, state: 'free' });
      this.#limit.set(limit, window);
    }
    if (own.open) {
      this.#open.set(own.open.jobs, labels);
      this.#openLimit.set(own.open.most, labels);
    }
    if (own.nextFreeAt !== null) {
      const at = Math.max(own.nextFreeAt, shared.blockedUntil ?? 0);
      this.#nextSlot.set(Math.max(0, at - now) / 1_000, labels);
    }
    const isBlocked = own.blockedUntil !== null || shared.blockedUntil !== null;
    this.#blocked.set(isBlocked ? 1 : 0, labels);
    this.#refused.set(own.refusal || shared.refusal ? 1 : 0, labels);
  }
}
