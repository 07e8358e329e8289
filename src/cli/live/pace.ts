/** How fast a campaign goes, by what was seen of it in the last while. Pure. */
import type { Observation } from '../../campaigns/observe.ts';

/** Jobs in the stretch of time that was watched. */
export interface Pace {
  readonly ended: number;
  /** By the services, also of other campaigns. */
  readonly accepted: number;
  readonly overMs: number;
}

export interface PaceSample {
  readonly at: number;
  readonly ended: number;
  readonly accepted: number;
}

const LOOK_BACK_MS = 5 * 60_000;
/** Less says nothing. */
const AT_LEAST_MS = 10_000;
const APART_MS = 2_000;

export function paceSample({ at, progress, budgets }: Observation): PaceSample {
  return {
    at,
    ended: Object.values(progress.ended).reduce((sum, n) => sum + n, 0),
    accepted: budgets.reduce((sum, { counts }) => sum + counts.accepted, 0),
  };
}

/** The samples that are still of use, oldest first, with this one. */
export function withSample(samples: readonly PaceSample[], sample: PaceSample): PaceSample[] {
  const last = samples.at(-1);
  if (last && sample.at - last.at < APART_MS) return [...samples];
  return [...samples.filter(({ at }) => sample.at - at <= LOOK_BACK_MS), sample];
}

/** null as long as too little was seen. */
export function paceOf(samples: readonly PaceSample[], latest: PaceSample): Pace | null {
  const first = samples.find(({ at }) => latest.at - at <= LOOK_BACK_MS);
  if (!first || latest.at - first.at < AT_LEAST_MS) return null;
  return {
    ended: latest.ended - first.ended,
    accepted: latest.accepted - first.accepted,
    overMs: latest.at - first.at,
  };
}
