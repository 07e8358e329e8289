/** The progress of a campaign, as its workflow reports it. Pure. */
import type { CampaignProgress, CampaignSpec } from '../domain/campaign.ts';
import type { CampaignState } from '../domain/states.ts';
import type { Breaker } from './breaker.ts';
import { pausedWithRows } from './brakes.ts';
import type { Feed } from './feed.ts';
import type { ProgressTally } from './tally.ts';

export interface CampaignParts {
  readonly spec: CampaignSpec;
  readonly state: CampaignState;
  readonly feeds: readonly Feed[];
  readonly tally: ProgressTally;
  readonly breaker: Breaker;
  /** Why notifications of the end failed. */
  readonly unnotified: readonly string[];
}

export function progressOf(parts: CampaignParts): CampaignProgress {
  const { spec, state, feeds, tally, breaker, unnotified } = parts;
  const brakes = pausedWithRows(breaker, feeds);
  const openKinds = feeds.flatMap(({ open }) => Array.from(open.values(), ({ kind }) => kind));
  return {
    campaign: spec.name,
    state,
    total: spec.items,
    open: feeds.reduce((sum, { open }) => sum + open.size, 0),
    following: spec.following ?? 0,
    ...tally.progress(openKinds),
    ...(brakes.length > 0 && { brakes }),
    ...(unnotified.length > 0 && { unnotified }),
  };
}

/** Differs when the progress differs, and is made without a walk over the items. */
export function fingerprintOf({ spec, state, feeds, tally, breaker }: CampaignParts): string {
  const open = feeds.map((feed) => feed.open.size);
  const brakes = pausedWithRows(breaker, feeds).length;
  return [state, spec.items, spec.following, tally.total, brakes, ...open].join();
}
