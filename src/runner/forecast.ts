/** When the jobs of a campaign will have ended, by simulating the budget: of a plan, and of a campaign that runs. */
import { type Policy } from '../budget/policy.ts';
import {
  describeAccount,
  estimateLastSubmissionIn,
  type AccountStatus,
  type BudgetStatus,
} from '../budget/status.ts';
import {
  createDefaultPolicy,
  type ServiceSettings,
  type UnreadyService,
} from '../config/services.ts';
import {
  type CampaignProgress,
  isSameReference,
  type Kind,
  type ServiceName,
} from '../domain/campaign.ts';
import { listKindNames, findKind } from '../kinds/registry.ts';
import { listServices, listKindsOf, findService } from '../services/registry.ts';
import type { RowCounts } from '../store/prepared-campaign.ts';
import type { Survey } from './survey.ts';

export interface ServiceForecast {
  readonly service: ServiceName;
  readonly jobs: number;
  /** In ms since the epoch. */
  readonly endsAt: number;
  /** Slots that are free now; null without a limit. */
  readonly free: number | null;
  /** Where the jobs are shared; the service itself has the others. */
  readonly lanes?: readonly LaneForecast[];
}

export interface LaneForecast {
  readonly name: string;
  /** null, as the next: some of the kinds have not been computed there yet. */
  readonly jobs: number | null;
  readonly perHour: number | null;
}

/** A lane, and the run time of its jobs in earlier campaigns, in ms and by kind. */
export interface MeasuredLane {
  readonly service: ServiceName;
  readonly name: string;
  readonly maxOpen: number;
  readonly jobMs: Readonly<Partial<Record<Kind, number>>>;
}

/** Parallel jobs of a service without a budget: the minimum, because it does not report the number. */
const SIDE_BY_SIDE = 1;

type Feed = Pick<ServiceSettings, 'reference' | 'policy' | 'secrets'> | UnreadyService;

/** `budgets`: those that Temporal has; a service without one has charged nothing yet. */
export function forecastCampaign(
  name: string,
  { jobs }: Pick<Survey, 'jobs'>,
  feeds: readonly Feed[],
  budgets: readonly BudgetStatus[],
  { now, lanes }: { readonly now: number; readonly lanes: readonly MeasuredLane[] },
): readonly ServiceForecast[] {
  return listServices().flatMap((definition) => {
    const service = definition.name;
    const kinds = listKindsOf(definition).map((kind) => [kind, jobs[kind] ?? 0] as const);
    const count = sum(kinds.map(([, n]) => n));
    if (count === 0) return [];
    const seconds = computeMeanSeconds(kinds);
    const feed = feeds.find(({ reference }) => reference.service === service);
    const budget = feed && findBudget(feed, budgets);
    // A token that this Temporal has not seen yet has charged nothing. Not configured yet: the contract says what it allows.
    const account = budget ?? createAccount(feed?.policy ?? createDefaultPolicy(service));
    const waiting = budget ? listWaiting(budget, name) : [];
    const forecast = (n: number) =>
      forecastService(service, n, n * seconds, { account, waiting }, now);
    const beside = lanes.filter((one) => one.service === service);
    return [beside.length === 0 ? forecast(count) : shareJobs(count, kinds, beside, forecast, now)];
  });
}

/** Each lane takes rows until none is left: all end together, as far as their rates are known. */
function shareJobs(
  count: number,
  kinds: readonly (readonly [Kind, number])[],
  lanes: readonly MeasuredLane[],
  forecast: (jobs: number) => ServiceForecast,
  now: number,
): ServiceForecast {
  const rates = lanes.map((lane) => computeJobsPerMs(lane, kinds));
  const all = sum(rates.map((rate) => rate ?? 0));
  const findOwnEnd = (own: number) => (own === 0 ? now : forecast(own).endsAt);
  const findTheirEnd = (own: number) => (own === count ? now : now + (count - own) / all);
  // The fewest jobs with which the service ends last, between these two.
  let [few, enough] = [0, count];
  while (few < enough) {
    const middle = Math.floor((few + enough) / 2);
    if (findOwnEnd(middle) >= findTheirEnd(middle)) enough = middle;
    else few = middle + 1;
  }
  const findEndOf = (own: number) => Math.max(findOwnEnd(own), findTheirEnd(own));
  const own = few > 0 && findEndOf(few - 1) < findEndOf(few) ? few - 1 : few;
  return {
    ...forecast(count),
    endsAt: findEndOf(own),
    lanes: lanes.map(({ name }, i) => {
      const rate = rates[i] ?? null;
      if (rate === null) return { name, jobs: null, perHour: null };
      const jobs = Math.round(((count - own) * rate) / all);
      return { name, jobs, perHour: Math.round(rate * 3_600_000) };
    }),
  };
}

/** null if a kind was not computed there yet. */
function computeJobsPerMs(
  { maxOpen, jobMs }: MeasuredLane,
  kinds: readonly (readonly [Kind, number])[],
): number | null {
  const present = kinds.filter(([, n]) => n > 0);
  if (present.some(([kind]) => jobMs[kind] === undefined)) return null;
  const ms = sum(present.map(([kind, n]) => n * (jobMs[kind] ?? 0)));
  return (maxOpen * sum(present.map(([, n]) => n))) / Math.max(1, ms);
}

function findBudget(feed: Feed, budgets: readonly BudgetStatus[]): BudgetStatus | undefined {
  if (!('secrets' in feed)) return undefined;
  return budgets.find(
    (one) =>
      isSameReference(one, feed.reference) &&
      // One that has just started allows nothing until it hears what the service allows.
      one.windows.every(({ limit }) => limit > 0),
  );
}

/** What jobs are charged to, and for each other campaign how many of its jobs wait for it: slots are shared in turn. */
interface Charged {
  readonly account: AccountStatus;
  readonly waiting: readonly number[];
}

function listWaiting({ use }: BudgetStatus, campaign: string): readonly number[] {
  const others = use.filter((one) => one.campaign !== campaign && !one.paused);
  return others.map(({ waiting }) => waiting);
}

/** `seconds`: total run time of its jobs. */
function forecastService(
  service: ServiceName,
  jobs: number,
  seconds: number,
  { account, waiting }: Charged,
  now: number,
): ServiceForecast {
  const from = Math.max(now, account.blockedUntil ?? now);
  if (account.windows.length === 0) {
    const endsAt = from + (seconds * 1_000) / SIDE_BY_SIDE;
    return { service, jobs, endsAt, free: null };
  }
  const before = jobs + sum(waiting.map((n) => Math.min(n, jobs)));
  const jobMs = (seconds / jobs) * 1_000;
  const endsAt = estimateLastSubmissionIn(account, before, jobMs, from) + jobMs;
  return { service, jobs, endsAt, free: account.free ?? 0 };
}

/** Without charges. */
export function createAccount(policy: Policy): AccountStatus {
  const blocked = { until: 0, reason: '' };
  return describeAccount({ policy, inFlight: 0, closes: [], open: 0, blocked }, 0);
}

/** The known state of a campaign and of its budgets, at one moment (ms since the epoch). */
interface Seen {
  readonly progress: CampaignProgress;
  readonly budgets: readonly BudgetStatus[];
  /** Number of rows by kind in the tree; null if unknown. */
  readonly kinds: Pick<RowCounts, 'items' | 'following'> | null;
  readonly at: number;
}

/**
 * In ms since the epoch. null if the campaign or one of its services is paused, a service refuses requests, nothing is
 * left to submit, or no slot will ever be free.
 */
export function estimateEnd(now: Seen): number | null {
  const seen = { ...now, at: Math.max(now.at, now.progress.startsAt ?? 0) };
  if (seen.progress.state === 'paused' || seen.progress.pausedServices) return null;
  const services = [...Map.groupBy(seen.budgets, ({ service }) => service).values()];
  const ends = services.flatMap((lanes) => estimateLanesEnd(seen, lanes) ?? []);
  // How long a refusal lasts is unknown.
  const end = Math.max(...ends);
  return Number.isFinite(end) && end > seen.at ? end : null;
}

/** Of one service; infinite while nothing is sent. */
function estimateLanesEnd(seen: Seen, lanes: readonly BudgetStatus[]): number | null {
  const [service = null] = lanes;
  if (service === null) return null;
  const alone = estimateServiceEnd(seen, service);
  const { unopened, open } = countWorkLeft(seen, service.service);
  if (lanes.length === 1 ? alone === null : unopened + open <= 0) return null;
  if (lanes.every(({ refusal }) => refusal)) return Number.POSITIVE_INFINITY;
  if (lanes.length === 1) return alone;
  // The latest ends show how fast they are together; that the service has all the rest is the latest end.
  const seconds = computeSecondsPerJob(seen, service.service);
  const latest = service.refusal ? null : alone;
  if (seconds === null) return latest;
  const together = seen.at + (unopened + open) * seconds * 1_000;
  return latest === null ? together : Math.min(latest, together);
}

function estimateServiceEnd(seen: Seen, budget: BudgetStatus): number | null {
  const { campaign } = seen.progress;
  const { service } = budget;
  const lanes = budget.use.filter((one) => one.campaign === campaign);
  const { unopened, open, seconds } = countWorkLeft(seen, service);
  // With limited slots, submitted jobs are practically done; without, they still have to be computed.
  const slots = budget.windows.length > 0;
  // Waiting rows without a request are already counted as unopened.
  const waiting = sum(lanes.map(({ asked }) => asked));
  const jobs = unopened + (slots ? waiting : open);
  if (jobs <= 0) return null;
  const all = jobs * ((slots ? null : computeSecondsPerJob(seen, service)) ?? seconds);
  const charged = { account: budget, waiting: listWaiting(budget, campaign) };
  return forecastService(service, jobs, all, charged, seen.at).endsAt;
}

/** Fewer ends do not show how fast a service is. */
const ENOUGH_ENDS = 5;

/**
 * A service without a limit does not report how many jobs it runs in parallel: the latest ends of the campaign show it. Null
 * if they do not: then one at a time is assumed, and the usual run time.
 */
function computeSecondsPerJob(
  { progress: { recent = [] }, at }: Seen,
  service: ServiceName,
): number | null {
  const kinds = listKindsOf(findService(service));
  const ends = recent.filter(({ kind }) => kinds.includes(kind));
  const since = recent[0]?.at ?? at;
  return ends.length < ENOUGH_ENDS || at <= since ? null : (at - since) / 1_000 / ends.length;
}

interface WorkLeft {
  /** Jobs that were not started yet. */
  readonly unopened: number;
  /** Jobs that were started but have not ended. */
  readonly open: number;
  /** Run time of one of them. */
  readonly seconds: number;
}

function countWorkLeft({ progress, kinds }: Seen, service: ServiceName): WorkLeft {
  const ofService = listKindsOf(findService(service));
  if (!kinds || !progress.kinds) {
    // The services of rows that were not read yet are unknown: assume that each service gets them all.
    const started = sum(Object.values(progress.ended)) + progress.open;
    const unopened = progress.total - started - progress.following;
    const seconds = computeMeanSeconds(ofService.map((kind) => [kind, 1]));
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
    seconds: computeMeanSeconds(left.map(({ kind, open, unopened }) => [kind, open + unopened])),
  };
}

function computeMeanSeconds(jobs: readonly (readonly [Kind, number])[]): number {
  const count = sum(jobs.map(([, n]) => n));
  return count === 0
    ? 0
    : sum(jobs.map(([kind, n]) => n * findKind(kind).estimate.seconds)) / count;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, n) => all + n, 0);
}

/** Jobs that have to be submitted, of all kinds. */
export function sumJobs({ jobs }: Survey): number {
  return listKindNames().reduce((sum, kind) => sum + (jobs[kind] ?? 0), 0);
}

/** Size of the files that will be written, in bytes. */
export function estimateDisk({ kinds, ended, rows }: Survey): number {
  const all = listKindNames().reduce(
    (sum, kind) => sum + (kinds[kind] ?? 0) * findKind(kind).estimate.bytes,
    0,
  );
  return rows === 0 ? 0 : Math.round((all * (rows - ended)) / rows);
}

/** In ISO 8601; null if nothing has to be submitted, or if it can never end. */
export function formatEnd(at: number | null): string | null {
  return at !== null && Number.isFinite(at) ? new Date(at).toISOString() : null;
}

/** When the last service will finish; null if nothing has to be submitted. */
export function findEnd(forecasts: readonly ServiceForecast[]): number | null {
  return forecasts.length === 0 ? null : Math.max(...forecasts.map(({ endsAt }) => endsAt));
}
