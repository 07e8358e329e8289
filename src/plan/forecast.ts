/** When the jobs of a campaign will have ended, by the budget's own arithmetic run ahead. */
import { lastSubmissionIn } from '../budget/forecast.ts';
import type { BudgetStatus, WindowStatus } from '../budget/status.ts';
import { SERVICES, SERVICE_OF_KIND, type Kind, type ServiceName } from '../domain/item.ts';
import { ESTIMATES } from './estimates.ts';
import { pooled } from './pooled-windows.ts';

/** A service that the jobs go to, with what is charged to it now. */
export interface Supply {
  readonly service: string;
  /** The windows that each job is charged to; none where there is no budget. */
  readonly windows: readonly WindowStatus[];
  /** Of each other campaign, the jobs that wait on the same credential: turns go round until ours are through. */
  readonly waiting: readonly number[];
}

export interface ServiceForecast {
  readonly service: ServiceName;
  readonly jobs: number;
  /** When the last job is submitted, in ms since the epoch. */
  readonly lastSubmissionAt: number;
  readonly endsAt: number;
  /** Slots that are free now; null without a limit. */
  readonly free: number | null;
}

/**
 * Jobs that a service without a budget runs side by side. It does not tell; one is what can be counted on.
 */
const SIDE_BY_SIDE = 1;

export function forecast(
  jobs: Readonly<Record<Kind, number>>,
  supplies: readonly Supply[],
  now: number,
): readonly ServiceForecast[] {
  return SERVICES.flatMap((service) => {
    const kinds = Object.entries(jobs).filter(
      ([kind, n]) => n > 0 && SERVICE_OF_KIND[kind as Kind] === service,
    ) as [Kind, number][];
    const count = kinds.reduce((sum, [, n]) => sum + n, 0);
    if (count === 0) return [];
    const supply = supplies.find((one) => one.service === service);
    const seconds = kinds.reduce((sum, [kind, n]) => sum + n * ESTIMATES[kind].seconds, 0);
    return [serviceForecast(service, count, seconds, supply, now)];
  });
}

/** `seconds`: what all its jobs take together. */
export function serviceForecast(
  service: ServiceName,
  jobs: number,
  seconds: number,
  supply: Supply | undefined,
  now: number,
): ServiceForecast {
  const blocks = supply?.windows.map(({ blockedUntil }) => blockedUntil ?? now) ?? [];
  const from = Math.max(now, ...blocks);
  const windows = supply?.windows.filter(({ limit }) => limit !== null) ?? [];
  const free = windows.length === 0 ? null : Math.min(...windows.map((one) => one.free ?? 0));
  if (windows.length === 0) {
    const endsAt = from + (seconds * 1_000) / SIDE_BY_SIDE;
    return { service, jobs, lastSubmissionAt: endsAt, endsAt, free };
  }
  const before = (supply?.waiting ?? []).reduce((sum, n) => sum + Math.min(n, jobs), jobs);
  const lastSubmissionAt = Math.max(
    ...windows.map((window) => lastSubmissionIn(window, before, from)),
  );
  return {
    service,
    jobs,
    lastSubmissionAt,
    endsAt: lastSubmissionAt + (seconds / jobs) * 1_000,
    free,
  };
}

/** The windows that jobs with these credentials are charged to, and who else waits for them. */
export function supplyOf(
  { service, addressWindow, credentials, waiting }: BudgetStatus,
  ours: readonly string[],
  campaign: string,
): Supply {
  const own = credentials.filter(({ credential }) => ours.includes(credential));
  const others = waiting.filter(
    (lane) => ours.includes(lane.credential) && lane.campaign !== campaign && !lane.paused,
  );
  return {
    service,
    windows: [...(own.length > 0 ? [pooled(own)] : []), addressWindow],
    waiting: others.map(({ items }) => items),
  };
}

/** A window that nothing is charged to yet. */
export function freshWindow({
  limit,
  windowMs,
}: {
  limit: number | null;
  windowMs: number;
}): WindowStatus {
  return {
    limit,
    windowMs,
    charged: 0,
    free: limit,
    releases: [],
    nextFreeAt: null,
    blockedUntil: null,
    blockedBecause: null,
  };
}
