/** Reads the campaign.json of a tree: what was published, and whether it is still valid. */
import { z } from 'zod';
import { codedError } from '../domain/errors.ts';
import { isFinal } from '../domain/states.ts';
import { parseJson } from '../kinds/json.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  FAILED_TABLE,
  ITEMS_TABLE,
  REPORT,
  tableKeys,
} from '../store/layout.ts';
import { type PreparedCampaign, readPreparedCampaign } from '../store/prepared-campaign.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { auditedItems } from './audit.ts';
import { campaignItems, stateOf } from './campaign-items.ts';
import { listedRowsFault } from './listed-rows.ts';
import {
  type CampaignEnd,
  type CampaignSummary,
  type RunSummary,
  SummaryTally,
  summaryToDisk,
} from './campaign-summary.ts';

const state = z.enum(['running', 'paused', 'publishing', 'completed', 'cancelled']);
const times = { started_at: z.string(), ended_at: z.string().nullable(), state };

const published = z.object({
  name: z.string(),
  ...times,
  manifests: z.array(z.object({ file: z.string(), sha256: z.string() })),
  settings: z.record(z.string(), z.unknown()),
  versions: z.record(z.string(), z.string()),
  runs: z.array(z.object({ ...times, retried: z.int().nonnegative() })),
});

/**
 * The runs recorded in a tree, oldest first; empty if it was not published yet, or if its campaign.json is damaged: it
 * is rewritten.
 */
export async function publishedRuns(store: Store): Promise<readonly RunSummary[]> {
  return (await readPublished(store))?.runs ?? [];
}

/**
 * The end recorded in a tree, to publish it again unchanged; null if it was not published, or while it was open. The
 * recorded versions stay, even if another version publishes it again.
 */
export async function publishedEnd(store: Store): Promise<CampaignEnd | null> {
  const former = await readPublished(store);
  const last = former?.runs.at(-1);
  if (!former || !last || former.endedAt === null) return null;
  return { ...last, versions: former.versions };
}

/**
 * A campaign that runs, is paused or was interrupted has open items, and notes of submissions beside them.
 *
 * @throws HundredfoldError `CAMPAIGN_NOT_ENDED`
 */
export async function checkEnded(store: Store, campaign: PreparedCampaign): Promise<void> {
  let [ended, items] = [0, 0];
  for await (const item of campaignItems(store, campaign)) {
    items += 1;
    if (isFinal(stateOf(item))) ended += 1;
  }
  // A retry leaves the campaign.json of the previous run. Without one, the last file of a publication tells.
  const former = await readPublished(store);
  const isWritten = former === null ? await store.exists(CHECKSUMS) : former.endedAt !== null;
  if (ended === items && isWritten) return;
  throw codedError('CAMPAIGN_NOT_ENDED', { name: campaign.name, ended, items });
}

/** What a tree records of its last publication, open or ended, beyond the items. */
interface LastPublication {
  readonly end: CampaignEnd;
  readonly runs: readonly RunSummary[];
  readonly settings: CampaignSummary['settings'];
  readonly manifestDigests: CampaignSummary['manifestDigests'];
}

/** Null if it was not published, or if its campaign.json is damaged. */
export async function lastPublication(store: Store): Promise<LastPublication | null> {
  const former = await readPublished(store);
  const last = former?.runs.at(-1);
  if (!former || !last) return null;
  const { manifests, settings, versions } = former;
  const end = { ...last, versions };
  return { end, runs: former.runs.slice(0, -1), settings, manifestDigests: manifests };
}

/**
 * Whether publishing this tree again would change nothing except the settings of the prepared campaign. Reads every
 * file with a recorded digest, and writes none.
 */
export async function isPublished(folder: string): Promise<boolean> {
  const store = await openStore(folder);
  const campaign = await readPreparedCampaign(store);
  const former = await readPublished(store);
  if (campaign === null || former === null || former.endedAt === null) return false;
  for (const key of [
    ITEMS_TABLE,
    FAILED_TABLE,
    ...tableKeys(Object.keys(campaign.counts.items)),
    REPORT,
    CRATE,
    CHECKSUMS,
  ]) {
    if (!(await store.exists(key))) return false;
  }
  if ((await listedRowsFault(store, campaign)) !== null) return false;
  const tally = new SummaryTally();
  const damaged: string[] = [];
  // Read-only: only a publication corrects a record.
  for await (const { item, faults } of auditedItems(store, campaign, { correct: false })) {
    tally.add(item);
    damaged.push(...faults);
  }
  const end = { ...former, versions: {} };
  const now: unknown = JSON.parse(summaryToDisk(tally.summary(campaign, end, damaged)));
  const before = counted.safeParse(former.disk);
  return before.success && JSON.stringify(counted.parse(now)) === JSON.stringify(before.data);
}

/** The counts from the items. Not the settings: those of the run that finished the items stay recorded. */
const counted = z.object({
  name: z.string(),
  manifests: z.unknown(),
  items: z.unknown(),
  kinds: z.unknown(),
  submissions: z.number(),
  rejected_429: z.number(),
  damaged: z.array(z.string()),
});

interface Published extends Pick<
  CampaignSummary,
  'startedAt' | 'endedAt' | 'state' | 'settings' | 'versions'
> {
  readonly manifests: CampaignSummary['manifestDigests'];
  readonly runs: readonly RunSummary[];
  /** The complete document, as read. */
  readonly disk: unknown;
}

async function readPublished(store: Store): Promise<Published | null> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  const disk = text === null ? null : parseJson(text);
  const read = published.safeParse(disk);
  if (!read.success) return null;
  const { runs, manifests, settings, versions, ...top } = read.data;
  const own = { manifests, settings, versions, runs: runs.map(runOf), disk };
  return { ...runOf({ ...top, retried: 0 }), ...own };
}

function runOf(disk: {
  started_at: string;
  ended_at: string | null;
  state: z.output<typeof state>;
  retried: number;
}): RunSummary {
  const { started_at: startedAt, ended_at: endedAt, state: ended, retried } = disk;
  return { startedAt, endedAt, state: ended, retried };
}
