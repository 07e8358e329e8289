/** How the items of a campaign have ended so far: by state, by kind, by code; and the last ones. */
import type { CampaignProgress, ItemEnd, RecentEnd } from '../domain/campaign.ts';
import type { Kind } from '../domain/item.ts';
import { countEnded, type FinalState } from '../domain/states.ts';
import { EndedItems } from './ended-items.ts';

export class ProgressTally {
  readonly ended: Record<FinalState, number> = {
    succeeded: 0,
    failed: 0,
    held: 0,
    cancelled: 0,
    invalid: 0,
  };
  readonly #failuresByCode: Record<string, number> = {};
  readonly #items: EndedItems;

  /** What an earlier run of the campaign had counted, or the rows that were refused before it began. */
  constructor(
    counted: Omit<Partial<CampaignProgress>, 'ended'> & {
      readonly ended: Partial<CampaignProgress['ended']>;
    },
  ) {
    Object.assign(this.ended, counted.ended);
    Object.assign(this.#failuresByCode, counted.failuresByCode);
    this.#items = new EndedItems({ ...counted, ended: this.ended });
  }

  /** One that has just ended. */
  add(end: RecentEnd): void {
    this.count(end.kind, end);
    this.#items.add(end);
  }

  /** One that had ended before the campaign came to it. */
  count(kind: Kind, { state, code }: Pick<ItemEnd, 'state' | 'code'>): void {
    this.ended[state] += 1;
    this.#items.count(kind, state);
    if (code) this.#failuresByCode[code] = (this.#failuresByCode[code] ?? 0) + 1;
  }

  /** Items that have ended, in any state. */
  get total(): number {
    return countEnded(this.ended);
  }

  /** `open`: the kinds of the items that are open. */
  progress(open: Iterable<Kind>) {
    return {
      ended: { ...this.ended },
      failuresByCode: { ...this.#failuresByCode },
      ...this.#items.progress(open),
    };
  }
}
