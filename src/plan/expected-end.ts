/** When a running campaign will end: the forecast of `plan`, for the remaining rows. */
import type { BudgetStatus } from '../budget/status.ts';
import type { CampaignProgress } from '../domain/campaign.ts';
import type { Kind, ServiceName } from '../domain/item.ts';
import { kindOf } from '../kinds/registry.ts';
import { serviceForecast, supplyOf } from './forecast.ts';
import type { RowCounts } from '../store/prepared-campaign.ts';
import { kindsOf, serviceOf } from '../services/registry.ts';

/** The known state of a campaign and of its budgets, at one moment (ms since the epoch). */
interface Seen {
  readonly progress: CampaignProgress;
  /** Each with the campaign's own credentials only. */
  readonly budgets: readonly BudgetStatus[];
  /** Number of rows by kind in the tree; null if unknown. */
  readonly kinds: Pick<RowCounts, 'items' | 'following'> | null;
  readonly at: number;
}

/** Jobs of a campaign that ended in an observed period. */
export interface EndedJobs {
  readonly endedBy: Readonly<Record<ServiceName, number>>;
  readonly overMs: number;
}

/** How far back it reaches (ms). */
export const LOOK_BACK_MS = 5 * 60_000;

/** Fewer jobs, or a shorter time, do not show how fast a service is. */
const ENOUGH_JOBS = 10;
const ENOUGH_MS = 30_000;

/**
 * In ms since the epoch. null if the campaign or one of its services is paused, a service refuses requests, nothing is
 * left to submit, or no slot will ever be free.
 *
 * @param recent what ended lately. A service without a limit does not report how many jobs it runs in parallel:
 *   without this, one at a time is assumed, and the usual run time
 */
export function expectedEnd(seen: Seen, recent: EndedJobs | null = null): number | null {
  if (seen.progress.state === 'paused' || seen.progress.brakes) return null;
  // How long that will be is unknown.
  if (seen.budgets.some((one) => refusesUs(one) && endOf(seen, one, recent) !== null)) return null;
  const ends = seen.budgets.flatMap((budget) => endOf(seen, budget, recent) ?? []);
  const end = Math.max(...ends);
  return Number.isFinite(end) && end > seen.at ? end : null;
}

function refusesUs({ addressBlock, credentials }: BudgetStatus): boolean {
  return [addressBlock, ...credentials].some(({ refusal }) => refusal !== undefined);
}

function endOf(seen: Seen, budget: BudgetStatus, recent: EndedJobs | null): number | null {
  const { campaign } = seen.progress;
  const { service } = budget;
  const ours = budget.credentials[0]?.credential;
  if (ours === undefined) return null;
  const supply = supplyOf(budget, ours, campaign);
  const lanes = budget.waiting.filter(
    (one) => one.campaign === campaign && one.credential === ours,
  );
  const { unopened, open, seconds } = workLeft(seen, service);
  // With limited slots, submitted jobs are practically done; without, they still have to be computed.
  const slots = (supply.account?.windows.length ?? 0) > 0;
  // Waiting rows without a request are already counted as unopened.
  const waiting = sum(lanes.map(({ asked }) => asked));
  const jobs = unopened + (slots ? waiting : open);
  if (jobs <= 0) return null;
  const all = jobs * ((slots ? null : secondsPerJob(recent, service)) ?? seconds);
  return serviceForecast(service, jobs, all, supply, seen.at).endsAt;
}

function secondsPerJob(recent: EndedJobs | null, service: ServiceName): number | null {
  if (recent === null || recent.overMs < ENOUGH_MS) return null;
  const jobs = recent.endedBy[service] ?? 0;
  return jobs < ENOUGH_JOBS ? null : recent.overMs / 1_000 / jobs;
}

interface WorkLeft {
  /** Jobs that were not started yet. */
  readonly unopened: number;
  /** Jobs that were started but have not ended. */
  readonly open: number;
  /** Run time of one of them. */
  readonly seconds: number;
}

function workLeft({ progress, kinds }: Seen, service: ServiceName): WorkLeft {
  const ofService = kindsOf(serviceOf(service));
  if (!kinds || !progress.kinds) {
    // The services of rows that were not read yet are unknown: assume that each service gets them all.
    const started = sum(Object.values(progress.ended)) + progress.open;
    const unopened = progress.total - started - progress.following;
    const seconds = meanSeconds(ofService.map((kind) => [kind, 1]));
    return { unopened, open: progress.open, seconds };
  }
  const left = ofService.map((kind) => {
    const { open = 0, ended = {} } = progress.kinds?.[kind] ?? {};
    const jobs = (kinds.items[kind] ?? 0) - (kinds.following[kind] ?? 0);
    return { kind, open, unopened: Math.max(0, jobs - open - sum(Object.values(ended))) };
  });
  return {
    unopened: sum(left.map(({ unopened }) => unopened)),
    open: sum(left.map(({ open }) => open)),
    seconds: meanSeconds(left.map(({ kind, open, unopened }) => [kind, open + unopened])),
  };
}

function meanSeconds(jobs: readonly (readonly [Kind, number])[]): number {
  const count = sum(jobs.map(([, n]) => n));
  return count === 0 ? 0 : sum(jobs.map(([kind, n]) => n * kindOf(kind).estimate.seconds)) / count;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, n) => all + n, 0);
}
