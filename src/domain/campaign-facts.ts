/** How a campaign stands or ended, in numbers: what `campaign.json` and the report's page both tell. */
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
  /** What ran, by name: `hundredfold`, `node`, … */
  readonly versions: Readonly<Record<string, string>>;
  readonly items: Counts;
  /** Only the kinds that the campaign has. */
  readonly kinds: Readonly<Partial<Record<Kind, Counts>>>;
  /** Items that got the result of another row's job. */
  readonly duplicates: number;
  /** Items that got the result of an earlier campaign. */
  readonly cached: number;
  /** Jobs that the services took on, as far as known: what the budget was charged. */
  readonly submissions: number;
  /** Submissions answered with 429. */
  readonly rejected429: number;
  /** Files that are not what was received, a sentence each. */
  readonly damaged: readonly string[];
}
