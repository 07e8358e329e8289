/** Rows that are added to a campaign while it runs. Pure, except that it extends the feeds. */
import type { CampaignSpec, FeedSpec } from '../domain/campaign.ts';
import type { Feed } from './feed.ts';
import type { Grown } from './messages.ts';

interface Growing {
  readonly spec: CampaignSpec;
  /** Extended in place: the campaign may be filling them at this moment. */
  readonly feeds: Feed[];
  /** For a service that had no rows so far. */
  readonly feedOf: (spec: FeedSpec) => Feed;
}

interface Growth {
  /** The input of the next run after continue-as-new. */
  readonly spec: CampaignSpec;
  /** False for a signal that was repeated: its rows are known. */
  readonly grew: boolean;
}

export function addRows(
  { items, following, feeds: added }: Grown,
  { spec, feeds, feedOf }: Growing,
): Growth {
  let grew = items !== spec.items;
  for (const feed of added) {
    const known = feeds.find((one) => one.spec.reference.service === feed.reference.service);
    grew ||= feed.pages > (known?.spec.pages ?? 0);
    if (known) known.extend(feed.pages);
    else feeds.push(feedOf(feed));
  }
  const all = (spec.following ?? 0) + following;
  const specs = feeds.map((feed) => feed.spec);
  return { spec: { ...spec, items, following: all, feeds: specs }, grew };
}
