/** `campaign.json`: what ran and how it ended, counted from the items' own records. */
import { z } from 'zod';
import {
  type Attempt,
  type Counts,
  type Kind,
  type CampaignFacts,
  FINAL_STATES,
  type FinalState,
  isFinal,
  type ItemState,
} from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { parseJson } from '../kinds/json.ts';
import { listKindNames } from '../kinds/registry.ts';
import { listWarnings } from '../store/item-record.ts';
import { CAMPAIGN_SUMMARY } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { type Listed, readState } from '../store/campaign-items.ts';

const number = z.int().nonnegative();

/** Numbers of items; the states and `open` add up to `total`. */
const COUNTED = ['total', ...FINAL_STATES, 'open'] as const;
const counts = z.record(z.enum(COUNTED), number);

const NONE = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts;

const state = z.enum(['running', 'paused', 'publishing', 'completed', 'cancelled']);

/** One run of the campaign: the first, a retry, or one with a longer manifest. */
const run = z.object({
  /** ISO 8601, UTC. */
  started_at: z.string(),
  /** The same; null while it is open. */
  ended_at: z.string().nullable(),
  state,
  retried: number,
});
type Run = z.output<typeof run>;

/** As it is on disk. */
const campaignSummary = z.object({
  format: z.literal(1),
  name: z.string(),
  state,
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /** Published before the end: how many of the items have ended. */
  so_far: z.object({ ended: number, items: number }).exactOptional(),
  manifests: z.array(z.object({ file: z.string(), sha256: z.string() })).readonly(),
  settings: z.record(z.string(), z.unknown()),
  /** Of the programs that ran, by name: `hundredfold`, `node`, … */
  versions: z.record(z.string(), z.string()),
  items: counts,
  /** Only the kinds that the campaign has. */
  kinds: z.record(z.string(), counts),
  /** Items that got the result of another row's job. */
  duplicates: number,
  /** Items that got the result of an earlier campaign. */
  cached: number,
  /** Items whose job was not submitted by the campaign. */
  adopted: number,
  /** Jobs that the services accepted, as far as known: charges of the budget. */
  submissions: number,
  /** Submissions answered with 429. */
  rejected_429: number,
  /** Files that differ from what was received, one sentence each. */
  damaged: z.array(z.string()),
  /** Number of items with a warning in their item.json, by its code. */
  warnings: z.record(z.string(), number),
  /** Every run that finished an item, oldest first; the campaign began with the first and ended with the last. */
  runs: z.array(run),
});
export type CampaignSummary = z.output<typeof campaignSummary>;

/** What only the campaign's workflow knows. */
export interface CampaignEnd extends Pick<CampaignFacts, 'state' | 'endedAt' | 'versions'> {
  /** Null: as far as the items tell. */
  readonly startedAt: string | null;
  /** Number of items that `retry` reopened for this run. */
  readonly retried?: number;
}

/** The text of campaign.json. */
export function writeSummary(summary: CampaignSummary): string {
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** Null if the tree was never published, or if its campaign.json is damaged: it is rewritten. */
export async function readSummary(store: Store): Promise<CampaignSummary | null> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  const read = campaignSummary.safeParse(text === null ? null : parseJson(text));
  return read.success ? read.data : null;
}

/** How the last recorded run ended; null if the tree was never published. */
export function findLastEnd(summary: CampaignSummary | null): CampaignEnd | null {
  const last = summary?.runs.at(-1);
  if (!summary || !last) return null;
  const { started_at: startedAt, ended_at: endedAt, state, retried } = last;
  // The recorded versions stay, even if another version publishes it again.
  return { startedAt, endedAt, state, retried, versions: summary.versions };
}

/** More sentences are not useful; `damaged` ends with the number of the others. */
const MAX_DAMAGED = 100;

/** Adds up the items one by one. */
export class CampaignTally {
  #items = NONE;
  readonly #kinds = new Map<Kind, Counts>();
  readonly #sums = { duplicates: 0, cached: 0, adopted: 0, submissions: 0, rejected_429: 0 };
  readonly #warnings: Record<string, number> = {};
  #firstAttempt: string | null = null;
  #lastEnd = '';

  add(item: Listed): void {
    const { kind, record } = item;
    const state = readState(item);
    this.#items = addCount(this.#items, state);
    if (kind) this.#kinds.set(kind, addCount(this.#kinds.get(kind) ?? NONE, state));
    if (record === null) return;
    const { attempts, finishedAt, resultFrom } = record;
    if (finishedAt !== null && finishedAt > this.#lastEnd) this.#lastEnd = finishedAt;
    for (const { at } of attempts.slice(0, 1))
      if (this.#firstAttempt === null || at < this.#firstAttempt) this.#firstAttempt = at;
    for (const { code } of listWarnings(record)) {
      this.#warnings[code] = (this.#warnings[code] ?? 0) + 1;
    }
    const sums = this.#sums;
    if (resultFrom?.type === 'duplicate') sums.duplicates += 1;
    if (resultFrom?.type === 'cache') sums.cached += 1;
    if (record.adopted) sums.adopted += 1;
    sums.submissions += countSubmissions(attempts);
    sums.rejected_429 += attempts.filter(({ outcome }) => outcome === 'rate-limited').length;
  }

  /** @param former the last publication */
  summary(
    campaign: PreparedCampaign,
    end: CampaignEnd,
    damaged: readonly string[],
    former: CampaignSummary | null,
  ): CampaignSummary {
    const more = damaged.length - MAX_DAMAGED;
    const runs = this.#runs(end, former);
    const { state, started_at, ended_at } = runs.at(-1) ?? toRun(end, '');
    const { total, open } = this.#items;
    return {
      format: 1,
      name: campaign.name,
      state,
      started_at: runs[0]?.started_at ?? started_at,
      ended_at,
      ...(ended_at === null && { so_far: { ended: total - open, items: total } }),
      manifests: campaign.manifestDigests,
      settings: campaign.settings,
      versions: end.versions,
      items: this.#items,
      kinds: Object.fromEntries(
        listKindNames().flatMap((kind) => {
          const own = this.#kinds.get(kind);
          return own === undefined ? [] : [[kind, own]];
        }),
      ),
      ...this.#sums,
      damaged: more > 0 ? [...damaged.slice(0, MAX_DAMAGED), `And ${more} more.`] : [...damaged],
      warnings: this.#warnings,
      runs,
    };
  }

  /** A run that only published again, because everything had ended before, is not listed. */
  #runs(end: CampaignEnd, former: CampaignSummary | null): Run[] {
    // One that was open when it was published has ended since, or is the current one.
    const ended = former?.runs.filter(({ ended_at }) => ended_at !== null) ?? [];
    const current = toRun(end, ended.at(-1)?.ended_at ?? this.#firstAttempt ?? NOT_BEGUN);
    const broughtAnEnd = end.endedAt === null || this.#lastEnd >= current.started_at;
    if (ended.length > 0 && !broughtAnEnd) return ended;
    // A publication repeated after a crash describes the same run.
    return [...ended.filter(({ started_at }) => started_at !== current.started_at), current];
  }
}

/** When nothing tells when it began. */
const NOT_BEGUN = new Date(0).toISOString();

function toRun({ state, startedAt, endedAt, retried = 0 }: CampaignEnd, began: string): Run {
  return { started_at: startedAt ?? began, ended_at: endedAt, state, retried };
}

function addCount(before: Counts, state: ItemState): Counts {
  const column = isFinal(state) ? state : 'open';
  return { ...before, total: before.total + 1, [column]: before[column] + 1 };
}

/**
 * Number of jobs of one item. A POST with unknown outcome counts: there may be a job, and the budget was charged for it
 * (promise 4). After a look-up, its result counts instead. Polling a job again adds none.
 */
export function countSubmissions(attempts: readonly Attempt[]): number {
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

/** Items of a campaign, counted by how they ended (docs/output-tree.md). */
export interface ItemCounts extends Readonly<Record<'total' | FinalState, number>> {
  /** Items that share the job of another row. */
  readonly duplicates: number;
  /** Items with the result of an earlier campaign. */
  readonly cached: number;
  /** Items whose job was submitted elsewhere. */
  readonly adopted: number;
}

/** The `--json` document of `run`, `watch`, `status` and `report`. */
export interface CampaignDocument {
  /** Name of the campaign. */
  readonly campaign: string;
  /** `completed` or `cancelled`, once it has ended. */
  readonly state: string;
  /** Items by how they ended. */
  readonly items: ItemCounts;
  /** Jobs that the services accepted for this campaign. */
  readonly submissions: number;
  /** Submissions that a service answered with 429. */
  readonly rejected429: number;
  /** The output tree: a folder or an s3:// address. */
  readonly out: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC; null while the campaign is open. */
  readonly endedAt: string | null;
  /** What blocks an open campaign until the user acts, in a sentence; absent if nothing does. */
  readonly obstacle?: string;
}

export interface EndedCampaign {
  readonly document: CampaignDocument;
  /** How long its last run took, in ms. */
  readonly tookMs: number | null;
  /** Files that are missing or differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
  /** Number of items with a warning in their item.json, by its code. */
  readonly warnings: Readonly<Record<string, number>>;
}

/** @throws HundredfoldError `CAMPAIGN_NOT_PUBLISHED` while it is open */
export async function readEndedCampaign(store: Store, folder: string): Promise<EndedCampaign> {
  const summary = await readSummary(store);
  if (summary === null || summary.ended_at === null) {
    throw new HundredfoldError(
      'CAMPAIGN_NOT_PUBLISHED',
      `${folder} has no ${CAMPAIGN_SUMMARY}: the campaign has not ended there`,
      'Run the "hundredfold run" command of this campaign again.',
    );
  }
  const { started_at: from, ended_at: to } = summary.runs.at(-1) ?? summary;
  const tookMs = to === null ? null : Date.parse(to) - Date.parse(from);
  const { damaged, warnings } = summary;
  return { document: buildDocument(summary, folder), tookMs, damaged, warnings };
}

export function buildDocument(summary: CampaignSummary, out: string): CampaignDocument {
  const { open: _, ...items } = summary.items;
  const { duplicates, cached, adopted } = summary;
  return {
    campaign: summary.name,
    state: summary.state,
    items: { ...items, duplicates, cached, adopted },
    submissions: summary.submissions,
    rejected429: summary.rejected_429,
    out,
    startedAt: summary.started_at,
    endedAt: summary.ended_at,
  };
}
