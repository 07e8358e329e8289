/** The state or the end of a campaign in numbers, for `campaign.json` and the report's page. */
import type { Kind } from './item.ts';
import type { CampaignState, FinalState } from './states.ts';

/** Numbers of items; the states and `open` add up to `total`. */
export type Counts = Readonly<Record<'total' | 'open' | FinalState, number>>;

export interface CampaignFacts {
  readonly name: string;
  readonly state: CampaignState;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC; null while the campaign is open. */
  readonly endedAt: string | null;
  /** Published before the end: how many of the items have ended; null once it has ended. */
  readonly soFar: { readonly ended: number; readonly items: number } | null;
  /** Versions of the programs that ran, by name: `hundredfold`, `node`, … */
  readonly versions: Readonly<Record<string, string>>;
  readonly items: Counts;
  /** Only the kinds that the campaign has. */
  readonly kinds: Readonly<Partial<Record<Kind, Counts>>>;
  /** Items that got the result of another row's job. */
  readonly duplicates: number;
  /** Items that got the result of an earlier campaign. */
  readonly cached: number;
  /** Jobs that the services accepted, as far as known: charges of the budget. */
  readonly submissions: number;
  /** Submissions answered with 429. */
  readonly rejected429: number;
  /** Files that differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
}
