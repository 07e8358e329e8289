/** When a campaign pauses a service by itself, and shows that: only while rows of this service are open. */
import { patched } from '@temporalio/workflow';
import type { CampaignSpec, ItemEnd, SameFailures } from '../domain/campaign.ts';
import type { Breaker } from './breaker.ts';
import type { Feed } from './feed.ts';

interface EndOfItem {
  readonly spec: CampaignSpec;
  readonly feed: Feed;
  readonly id: string;
  readonly end: ItemEnd;
}

/** Why the service of this feed is paused from now on; null if it is not. */
export function reasonToPause(
  breaker: Breaker,
  { spec, feed, id, end }: EndOfItem,
): SameFailures | null {
  const { service } = feed.spec.reference;
  const counts = spec.policy.sameFailures !== undefined && end.state !== 'succeeded';
  // Older campaigns compare messages as they are, and pause even after the last end.
  if (!counts || !patched('failures-alike')) return breaker.add(service, end);
  return feed.hasEnded ? null : breaker.add(service, end, id);
}

/** Of the paused services those that have rows left. */
export function pausedWithRows(breaker: Breaker, feeds: readonly Feed[]): readonly SameFailures[] {
  return breaker.paused.filter(({ service }) =>
    feeds.some(({ spec, hasEnded }) => spec.reference.service === service && !hasEnded),
  );
}
