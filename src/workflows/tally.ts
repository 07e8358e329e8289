/** How the items of a campaign have ended so far: by state, and by code where they have one. */
import type { CampaignProgress, ItemEnd } from '../domain/campaign.ts';
import type { FinalState } from '../domain/states.ts';

export class Tally {
  readonly ended: Record<FinalState, number> = {
    succeeded: 0,
    failed: 0,
    held: 0,
    cancelled: 0,
    invalid: 0,
  };
  readonly failuresByCode: Record<string, number> = {};

  /** What an earlier run of the campaign had counted, or the rows that were refused before it began. */
  constructor(counted: {
    readonly ended: Partial<CampaignProgress['ended']>;
    readonly failuresByCode?: CampaignProgress['failuresByCode'];
  }) {
    Object.assign(this.ended, counted.ended);
    Object.assign(this.failuresByCode, counted.failuresByCode);
  }

  count({ state, code }: Pick<ItemEnd, 'state' | 'code'>): void {
    this.ended[state] += 1;
    if (code) this.failuresByCode[code] = (this.failuresByCode[code] ?? 0) + 1;
  }

  /** Items that have ended, however they did. */
  get total(): number {
    return Object.values(this.ended).reduce((sum, n) => sum + n, 0);
  }
}
