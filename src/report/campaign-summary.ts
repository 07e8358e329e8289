/** `campaign.json`: what ran and how it ended, counted from the items' own records. */
import type { Attempt } from '../domain/campaign.ts';
import type { CampaignFacts, Counts } from '../domain/campaign-facts.ts';
import type { Kind } from '../domain/item.ts';
import {
  type CampaignState,
  FINAL_STATES,
  type FinalState,
  isFinal,
  type ItemState,
} from '../domain/states.ts';
import { warningsOf } from '../store/item-record.ts';
import type { ManifestDigest } from '../manifest/sources.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import { type Listed, stateOf } from './campaign-items.ts';
import { kindNames } from '../kinds/registry.ts';

/** What only the campaign's workflow knows. */
export interface CampaignEnd extends Pick<
  CampaignFacts,
  'state' | 'startedAt' | 'endedAt' | 'versions'
> {
  /** Number of items that `retry` reopened for this run. */
  readonly retried?: number;
}

/** One run of the campaign: the first, a retry, or one with a longer manifest. */
export interface RunSummary {
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly state: CampaignState;
  readonly retried: number;
}

export interface CampaignSummary extends CampaignFacts {
  /** Every run that finished an item, oldest first; the campaign began with the first and ended with the last. */
  readonly runs: readonly RunSummary[];
  readonly manifestDigests: readonly ManifestDigest[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Items whose job was not submitted by the campaign. */
  readonly adopted: number;
  /** Number of items with a warning in their item.json, by its code. */
  readonly warnings: Readonly<Record<string, number>>;
}

/** More sentences are not useful; `damaged` ends with the number of the others. */
const MAX_DAMAGED = 100;

/** Adds up the items one by one. */
export class SummaryTally {
  #items = noCounts();
  readonly #kinds = new Map<Kind, Counts>();
  #duplicates = 0;
  #cached = 0;
  #adopted = 0;
  #submissions = 0;
  #rejected429 = 0;
  readonly #warnings: Record<string, number> = {};
  #lastEnd = '';

  add(item: Listed): void {
    const state = stateOf(item);
    const attempts = item.record?.attempts ?? [];
    const finishedAt = item.record?.finishedAt ?? '';
    if (finishedAt > this.#lastEnd) this.#lastEnd = finishedAt;
    this.#items = counted(this.#items, state);
    const { kind } = item;
    if (kind) this.#kinds.set(kind, counted(this.#kinds.get(kind) ?? noCounts(), state));
    const from = item.record?.resultFrom?.type;
    for (const { code } of item.record ? warningsOf(item.record) : []) {
      this.#warnings[code] = (this.#warnings[code] ?? 0) + 1;
    }
    if (from === 'duplicate') this.#duplicates += 1;
    if (from === 'cache') this.#cached += 1;
    if (item.record?.adopted) this.#adopted += 1;
    this.#submissions += submissionsOf(attempts);
    this.#rejected429 += attempts.filter(({ outcome }) => outcome === 'rate-limited').length;
  }

  summary(
    campaign: PreparedCampaign,
    end: CampaignEnd,
    damaged: readonly string[],
    former: readonly RunSummary[] = [],
  ): CampaignSummary {
    const more = damaged.length - MAX_DAMAGED;
    const { startedAt, endedAt, state, versions, retried = 0 } = end;
    const run = { startedAt, endedAt, state, retried };
    const runs = this.#broughtAnEnd(run, former) ? [...othersThan(run, former), run] : former;
    const last = runs.at(-1) ?? run;
    const { total, open } = this.#items;
    return {
      soFar: last.endedAt === null ? { ended: total - open, items: total } : null,
      startedAt: runs[0]?.startedAt ?? startedAt,
      endedAt: last.endedAt,
      state: last.state,
      versions,
      runs,
      name: campaign.name,
      manifestDigests: campaign.manifestDigests,
      settings: campaign.settings,
      items: this.#items,
      kinds: Object.fromEntries(
        kindNames().flatMap((kind) => {
          const counts = this.#kinds.get(kind);
          return counts === undefined ? [] : [[kind, counts]];
        }),
      ),
      duplicates: this.#duplicates,
      cached: this.#cached,
      adopted: this.#adopted,
      submissions: this.#submissions,
      rejected429: this.#rejected429,
      damaged: more > 0 ? [...damaged.slice(0, MAX_DAMAGED), `And ${more} more.`] : damaged,
      warnings: this.#warnings,
    };
  }

  /** A run that only published again, because everything had ended before, is not listed. */
  #broughtAnEnd({ startedAt, endedAt }: RunSummary, former: readonly RunSummary[]): boolean {
    const whole = former.length > 0 && former.every((run) => run.endedAt !== null);
    return !whole || endedAt === null || this.#lastEnd >= startedAt;
  }
}

/** A publication repeated after a crash describes the same run. */
function othersThan(run: RunSummary, former: readonly RunSummary[]): readonly RunSummary[] {
  return former.filter(({ startedAt }) => startedAt !== run.startedAt);
}

/**
 * Number of jobs of one item. A POST with unknown outcome counts: there may be a job, and the budget was charged for it
 * (promise 4). After a look-up, its result counts instead. Polling a job again adds none.
 */
export function submissionsOf(attempts: readonly Attempt[]): number {
  const jobs = new Set<string>();
  let others = 0;
  attempts.forEach(({ outcome, remoteId }, index) => {
    if (outcome === 'unsure' && !isSettled(attempts, index)) others += 1;
    if (outcome !== 'accepted' && outcome !== 'found') return;
    if (remoteId === undefined) others += 1;
    else jobs.add(remoteId);
  });
  return jobs.size + others;
}

/** Between the lost answer and the look-up, the name may have been refused because it was taken. */
function isSettled(attempts: readonly Attempt[], unsure: number): boolean {
  const next = attempts.slice(unsure + 1).find(({ outcome }) => outcome !== 'refused');
  return next?.outcome === 'found' || next?.outcome === 'absent';
}

/** The text of campaign.json. */
export function summaryToDisk(summary: CampaignSummary): string {
  const disk = {
    format: 1,
    name: summary.name,
    state: summary.state,
    started_at: summary.startedAt,
    ended_at: summary.endedAt,
    ...(summary.soFar && { so_far: summary.soFar }),
    manifests: summary.manifestDigests,
    settings: summary.settings,
    versions: summary.versions,
    items: summary.items,
    kinds: summary.kinds,
    duplicates: summary.duplicates,
    cached: summary.cached,
    adopted: summary.adopted,
    submissions: summary.submissions,
    rejected_429: summary.rejected429,
    damaged: summary.damaged,
    warnings: summary.warnings,
    runs: summary.runs.map(({ startedAt, endedAt, state, retried }) => ({
      started_at: startedAt,
      ended_at: endedAt,
      state,
      retried,
    })),
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
