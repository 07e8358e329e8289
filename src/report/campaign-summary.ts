/** `campaign.json`: what ran and how it ended, counted from the items' own records. */
import type { Attempt } from '../domain/campaign.ts';
import { KINDS, type Kind } from '../domain/item.ts';
import {
  FINAL_STATES,
  isFinal,
  type CampaignState,
  type FinalState,
  type ItemState,
} from '../domain/states.ts';
import type { ManifestDigest, PreparedCampaign } from '../store/prepared-campaign.ts';
import { stateOf, type CampaignItem } from './campaign-items.ts';

/** What only the campaign's workflow knows. */
export interface CampaignEnd {
  readonly state: CampaignState;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC; null while the campaign is open. */
  readonly endedAt: string | null;
  /** What ran, by name: `hundredfold`, `node`, … */
  readonly versions: Readonly<Record<string, string>>;
}

/** Numbers of items; the states and `open` add up to `total`. */
export type Counts = Readonly<Record<'total' | 'open' | FinalState, number>>;

export interface CampaignSummary extends CampaignEnd {
  readonly name: string;
  readonly manifestDigests: readonly ManifestDigest[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly items: Counts;
  /** Only the kinds that the campaign has. */
  readonly kinds: Readonly<Partial<Record<Kind, Counts>>>;
  /** Jobs that the services took on, as far as known: what the budget was charged. */
  readonly submissions: number;
  /** Submissions answered with 429. */
  readonly rejected429: number;
  /** Files that are not what was received, a sentence each; at most `MAX_DAMAGED` of them. */
  readonly damaged: readonly string[];
}

/** More sentences than this help nobody; `damaged` ends with the number of the others. */
const MAX_DAMAGED = 100;

/** Adds up the items one by one. */
export class Tally {
  #items = noCounts();
  readonly #kinds = new Map<Kind, Counts>();
  #submissions = 0;
  #rejected429 = 0;

  add(item: CampaignItem): void {
    const state = stateOf(item);
    const attempts = item.record?.attempts ?? [];
    this.#items = counted(this.#items, state);
    this.#kinds.set(item.kind, counted(this.#kinds.get(item.kind) ?? noCounts(), state));
    this.#submissions += submissionsOf(attempts);
    this.#rejected429 += attempts.filter(({ outcome }) => outcome === 'rate-limited').length;
  }

  summary(
    campaign: PreparedCampaign,
    end: CampaignEnd,
    damaged: readonly string[],
  ): CampaignSummary {
    const more = damaged.length - MAX_DAMAGED;
    return {
      ...end,
      name: campaign.name,
      manifestDigests: campaign.manifestDigests,
      settings: campaign.settings,
      items: this.#items,
      kinds: Object.fromEntries(
        KINDS.flatMap((kind) => {
          const counts = this.#kinds.get(kind);
          return counts === undefined ? [] : [[kind, counts]];
        }),
      ),
      submissions: this.#submissions,
      rejected429: this.#rejected429,
      damaged: more > 0 ? [...damaged.slice(0, MAX_DAMAGED), `And ${more} more.`] : damaged,
    };
  }
}

/**
 * Jobs of one item. A POST whose fate stayed unknown counts: there may be a job, and the budget was
 * charged for it (promise 4). One that was looked up counts by what was found.
 */
export function submissionsOf(attempts: readonly Attempt[]): number {
  return attempts.filter(({ outcome }, index) => {
    const next = attempts[index + 1]?.outcome;
    const settled = next === 'found' || next === 'absent';
    return outcome === 'accepted' || outcome === 'found' || (outcome === 'unsure' && !settled);
  }).length;
}

/** The text of campaign.json. */
export function summaryToDisk(summary: CampaignSummary): string {
  const disk = {
    format: 1,
    name: summary.name,
    state: summary.state,
    started_at: summary.startedAt,
    ended_at: summary.endedAt,
    manifests: summary.manifestDigests,
    settings: summary.settings,
    versions: summary.versions,
    items: summary.items,
    kinds: summary.kinds,
    submissions: summary.submissions,
    rejected_429: summary.rejected429,
    damaged: summary.damaged,
  };
  return `${JSON.stringify(disk, null, 2)}\n`;
}

function noCounts(): Counts {
  const none = Object.fromEntries(FINAL_STATES.map((state) => [state, 0]));
  return { total: 0, ...(none as Record<FinalState, number>), open: 0 };
}

function counted(counts: Counts, state: ItemState): Counts {
  const column = isFinal(state) ? state : 'open';
  return { ...counts, total: counts.total + 1, [column]: counts[column] + 1 };
}
