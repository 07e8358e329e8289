/** When the jobs of a campaign will have ended, by simulating the budget. */
import { lastSubmissionIn } from '../budget/forecast.ts';
import type { BudgetStatus, WindowStatus } from '../budget/status.ts';
import { SERVICES, SERVICE_OF_KIND, type Kind, type ServiceName } from '../domain/item.ts';
import { ESTIMATES } from './estimates.ts';
import { pooled } from './pooled-windows.ts';

/** A service for the jobs, with its current charges. */
export interface Supply {
  readonly service: string;
  /** The windows that each job is charged to; empty if there is no budget. */
  readonly windows: readonly WindowStatus[];
  /** For each other campaign, the number of jobs that wait for the same credential: slots are shared in turn. */
  readonly waiting: readonly number[];
}

export interface ServiceForecast {
  readonly service: ServiceName;
  readonly jobs: number;
  /** In ms since the epoch. */
  readonly endsAt: number;
  /** Slots that are free now; null without a limit. */
  readonly free: number | null;
}

/** Parallel jobs of a service without a budget: the minimum, because it does not report the number. */
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

/** `seconds`: total run time of its jobs. */
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
    return { service, jobs, endsAt, free };
  }
  const before = (supply?.waiting ?? []).reduce((sum, n) => sum + Math.min(n, jobs), jobs);
  const lastSubmissionAt = Math.max(
    ...windows.map((window) => lastSubmissionIn(window, before, from)),
  );
  return { service, jobs, endsAt: lastSubmissionAt + (seconds / jobs) * 1_000, free };
}

/** The windows that jobs with these credentials are charged to, and the other campaigns that wait for them. */
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

/** A window without charges. */
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
