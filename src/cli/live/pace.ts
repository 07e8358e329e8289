/** The speed of a campaign, from its recent observations. Pure. */
import type { CampaignObservation } from '../../runner/observe.ts';
import type { CampaignProgress } from '../../domain/campaign.ts';
import type { ServiceName } from '../../domain/item.ts';
import { type EndedJobs, LOOK_BACK_MS } from '../../runner/forecast.ts';
import { countEnded } from '../../domain/states.ts';
import { allServices, kindsOf } from '../../services/registry.ts';
import type { Service } from '../../services/service.ts';

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
const AT_LEAST_MS = 10_000;
const APART_MS = 2_000;

export function paceSample({ at, progress, budgets }: CampaignObservation): PaceSample {
  return {
    at,
    ended: countEnded(progress.ended),
    endedBy: Object.fromEntries(
      allServices().map((service) => [service.name, endedAt(progress, service)]),
    ),
    accepted: budgets.reduce((sum, { counts }) => sum + counts.accepted, 0),
  };
}

function endedAt({ kinds = {} }: CampaignProgress, service: Service): number {
  return kindsOf(service)
    .map((kind) => kinds[kind])
    .reduce((sum, kind) => sum + (kind ? countEnded(kind.ended) : 0), 0);
}

/** The samples that are still needed, oldest first, with this one. */
export function withSample(samples: readonly PaceSample[], sample: PaceSample): PaceSample[] {
  const last = samples.at(-1);
  if (last && sample.at - last.at < APART_MS) return [...samples];
  return [...samples.filter(({ at }) => sample.at - at <= LOOK_BACK_MS), sample];
}

/** null until enough was observed. */
export function paceOf(samples: readonly PaceSample[], latest: PaceSample): CampaignPace | null {
  const first = samples.find(({ at }) => latest.at - at <= LOOK_BACK_MS);
  if (!first || latest.at - first.at < AT_LEAST_MS) return null;
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
