/** When the jobs of a campaign will have ended, by simulating the budget. */
import { lastSubmissionIn } from '../budget/forecast.ts';
import type { Policy } from '../budget/policy.ts';
import type { BudgetStatus, CredentialStatus } from '../budget/status.ts';
import type { Kind, ServiceName } from '../domain/item.ts';
import { kindOf } from '../kinds/registry.ts';
import { allServices, kindsOf } from '../services/registry.ts';

/** A service for the jobs, with its current charges. */
export interface Supply {
  readonly service: string;
  /** What each job is charged to; null if there is no budget. */
  readonly account: CredentialStatus | null;
  /** Nothing is sent to the address before (ms since the epoch); null when it is not blocked. */
  readonly blockedUntil: number | null;
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
  return allServices().flatMap((definition) => {
    const service = definition.name;
    const kinds = kindsOf(definition).map((kind) => [kind, jobs[kind] ?? 0] as const);
    const count = kinds.reduce((sum, [, n]) => sum + n, 0);
    if (count === 0) return [];
    const supply = supplies.find((one) => one.service === service);
    const seconds = kinds.reduce((sum, [kind, n]) => sum + n * kindOf(kind).estimate.seconds, 0);
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
  const account = supply?.account ?? null;
  const from = Math.max(now, supply?.blockedUntil ?? now, account?.blockedUntil ?? now);
  if (!account || account.windows.length === 0) {
    const endsAt = from + (seconds * 1_000) / SIDE_BY_SIDE;
    return { service, jobs, endsAt, free: null };
  }
  const before = (supply?.waiting ?? []).reduce((sum, n) => sum + Math.min(n, jobs), jobs);
  const jobMs = (seconds / jobs) * 1_000;
  const endsAt = lastSubmissionIn(account, before, jobMs, from) + jobMs;
  return { service, jobs, endsAt, free: account.free ?? 0 };
}

/** What jobs with this credential are charged to, and the other campaigns that wait for it. */
export function supplyOf(
  { service, addressBlock, credentials, waiting }: BudgetStatus,
  ours: string,
  campaign: string,
): Supply {
  const others = waiting.filter(
    (lane) => lane.credential === ours && lane.campaign !== campaign && !lane.paused,
  );
  return {
    service,
    account: credentials.find(({ credential }) => credential === ours) ?? null,
    blockedUntil: addressBlock.blockedUntil,
    waiting: others.map(({ items }) => items),
  };
}

/** Without charges. */
export function freshAccount({ windows, maxOpen }: Policy): CredentialStatus {
  const limits = windows.map(({ limit }) => limit);
  const atOnce = Math.min(...limits, maxOpen ?? Number.POSITIVE_INFINITY);
  return {
    credential: '',
    windows: windows.map((window) => ({
      ...window,
      charged: 0,
      free: window.limit,
      releases: [],
      nextFreeAt: null,
    })),
    open: maxOpen === null ? null : { jobs: 0, most: maxOpen },
    free: Number.isFinite(atOnce) ? atOnce : null,
    nextFreeAt: null,
    blockedUntil: null,
    blockedBecause: null,
  };
}
