/** What changed between two observations of a campaign, and how fast it is. Pure. */
import type { BudgetStatus } from '../../budget/status.ts';
import { type CampaignProgress, isSameReference } from '../../domain/campaign.ts';
import { formatClock } from '../../domain/units.ts';
import { type ServiceName, type CampaignState, countEnded } from '../../domain/item.ts';
import { type EndedJobs, RECENT_MS, type CampaignObservation } from '../../runner/command-line.ts';
import { listServices, listKindsOf } from '../../services/registry.ts';
import type { Service } from '../../services/service.ts';
import { type Tone, TONE_OF_STATE } from '../text/line.ts';
import { isBlocked } from '../text/progress-text.ts';

export interface Happening {
  readonly at: number;
  /** Its subject: an item's id, a service, the campaign. */
  readonly subject: string;
  readonly words: string;
  readonly tone: Tone;
  /** Number of jobs that the service accepted. */
  readonly accepted?: number;
}

const KEPT = 40;
/** Jobs accepted within this time are shown as one event. */
const TOGETHER_MS = 5_000;

/** The latest ones, oldest first. `before`: null for the first observation. */
export function appendHappenings(
  former: readonly Happening[],
  before: CampaignObservation | null,
  after: CampaignObservation,
): readonly Happening[] {
  const news = [...(before ? listChanges(before, after) : []), ...listEnds(before, after)];
  return news
    .sort((a, b) => a.at - b.at)
    .reduce(appendJoined, former)
    .slice(-KEPT);
}

function listEnds(
  before: CampaignObservation | null,
  { progress }: CampaignObservation,
): Happening[] {
  const known = new Set(before?.progress.recent?.map(({ id, at }) => `${id} ${at}`));
  return (progress.recent ?? [])
    .filter(({ id, at }) => !known.has(`${id} ${at}`))
    .map(({ id, at, state, code }) => {
      const words = code ? `${state}: ${code}` : state;
      return { at, subject: id, words, tone: TONE_OF_STATE[state] };
    });
}

const WORDS_OF_STATE: Readonly<Record<CampaignState, string>> = {
  running: 'running',
  paused: 'paused: no new submissions',
  publishing: 'all items are done; writing the tables',
  completed: 'completed',
  cancelled: 'cancelled',
};

function listChanges(before: CampaignObservation, after: CampaignObservation): Happening[] {
  const { at, progress } = after;
  const words = WORDS_OF_STATE[progress.state];
  const changed: Happening[] =
    before.progress.state === progress.state
      ? []
      : [{ at, subject: progress.campaign, words, tone: 'strong' }];
  return after.budgets.reduce((list, budget) => {
    const former = before.budgets.find((one) => isSameReference(one, budget));
    return former ? [...list, ...listBudgetChanges(former, budget, at)] : list;
  }, changed);
}

function listBudgetChanges(before: BudgetStatus, after: BudgetStatus, at: number): Happening[] {
  const subject = after.service;
  const found: Happening[] = [];
  const accepted = after.counts.accepted - before.counts.accepted;
  if (accepted > 0) found.push(describeAcceptance(subject, accepted, at));
  const refused = after.counts.rejected429 - before.counts.rejected429;
  if (refused > 0)
    found.push({ at, subject, words: `answered ${refused} with 429`, tone: 'warning' });
  if (isBlocked(before) && !isBlocked(after))
    found.push({ at, subject, words: 'accepts requests again', tone: 'good' });
  const { blockedUntil, blockedBecause } = after;
  if (blockedUntil !== null && before.blockedUntil !== blockedUntil) {
    const until = formatClock(blockedUntil, at);
    const words = `blocked until ${until}: ${blockedBecause ?? ''}`;
    found.push({ at, subject, words, tone: 'warning' });
  }
  return found;
}

function describeAcceptance(subject: string, accepted: number, at: number): Happening {
  const words = accepted === 1 ? 'accepted 1 job' : `accepted ${accepted} jobs`;
  return { at, subject, words, tone: 'plain', accepted };
}

function appendJoined(list: readonly Happening[], next: Happening): readonly Happening[] {
  const last = list.at(-1);
  if (
    last?.accepted === undefined ||
    next.accepted === undefined ||
    last.subject !== next.subject ||
    next.at - last.at >= TOGETHER_MS
  )
    return [...list, next];
  const sum = describeAcceptance(next.subject, last.accepted + next.accepted, last.at);
  return [...list.slice(0, -1), sum];
}

/** Jobs in the observed period. */
export interface CampaignPace extends EndedJobs {
  /** With the rows that share the job of another one. */
  readonly ended: number;
  /** By the services, including jobs of other campaigns. */
  readonly accepted: number;
}

export interface PaceSample {
  readonly at: number;
  readonly ended: number;
  readonly endedBy: Readonly<Record<ServiceName, number>>;
  readonly accepted: number;
}

/** A shorter period is not meaningful. */
const MIN_SPAN_MS = 10_000;
const APART_MS = 2_000;

export function takePaceSample({ at, progress, budgets }: CampaignObservation): PaceSample {
  return {
    at,
    ended: countEnded(progress.ended),
    endedBy: Object.fromEntries(
      listServices().map((service) => [service.name, countEndedAt(progress, service)]),
    ),
    accepted: budgets.reduce((sum, { counts }) => sum + counts.accepted, 0),
  };
}

function countEndedAt({ kinds = {} }: CampaignProgress, service: Service): number {
  return listKindsOf(service)
    .map((kind) => kinds[kind])
    .reduce((sum, kind) => sum + (kind ? countEnded(kind.ended) : 0), 0);
}

/** The samples that are still needed, oldest first, with this one. */
export function withSample(samples: readonly PaceSample[], sample: PaceSample): PaceSample[] {
  const last = samples.at(-1);
  if (last && sample.at - last.at < APART_MS) return [...samples];
  return [...samples.filter(({ at }) => sample.at - at <= RECENT_MS), sample];
}

/** null until enough was observed. */
export function computePace(
  samples: readonly PaceSample[],
  latest: PaceSample,
): CampaignPace | null {
  const first = samples.find(({ at }) => latest.at - at <= RECENT_MS);
  if (!first || latest.at - first.at < MIN_SPAN_MS) return null;
  return {
    ended: latest.ended - first.ended,
    endedBy: Object.fromEntries(
      Object.entries(latest.endedBy).map(([service, n]) => [
        service,
        n - (first.endedBy[service] ?? 0),
      ]),
    ),
    accepted: latest.accepted - first.accepted,
    overMs: latest.at - first.at,
  };
}
