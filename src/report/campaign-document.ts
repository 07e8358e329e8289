/** How a campaign ended, as one JSON document: the output of `--json` and the content of notifications. */
import { z } from 'zod';
import { codedError } from '../domain/errors.ts';
import { CAMPAIGN_SUMMARY } from '../store/layout.ts';
import type { Store } from '../store/store.ts';

const counts = z.object({
  total: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  held: z.number(),
  cancelled: z.number(),
  invalid: z.number(),
});

const published = z.object({
  name: z.string(),
  state: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  items: counts,
  duplicates: z.number(),
  cached: z.number(),
  adopted: z.number(),
  submissions: z.number(),
  rejected_429: z.number(),
  damaged: z.array(z.string()),
  warnings: z.record(z.string(), z.number()),
  runs: z.array(z.object({ started_at: z.string(), ended_at: z.string().nullable() })),
});

/** The `--json` document of `run`, `watch` and `status`. */
export interface CampaignDocument {
  readonly campaign: string;
  readonly state: string;
  readonly items: z.output<typeof counts> & {
    readonly duplicates: number;
    readonly cached: number;
    readonly adopted: number;
  };
  readonly submissions: number;
  readonly rejected429: number;
  readonly out: string;
  readonly startedAt: string;
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

/** Reads the campaign.json of a tree. Throws CAMPAIGN_NOT_PUBLISHED if there is none. */
export async function endedCampaign(store: Store, folder: string): Promise<EndedCampaign> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  if (text === null) {
    throw codedError('CAMPAIGN_NOT_PUBLISHED', { folder, file: CAMPAIGN_SUMMARY });
  }
  const read = published.parse(JSON.parse(text));
  const last = read.runs.at(-1) ?? read;
  const { started_at: from, ended_at: to } = last;
  const tookMs = to === null ? null : Date.parse(to) - Date.parse(from);
  return {
    document: documentOf(read, folder),
    tookMs,
    damaged: read.damaged,
    warnings: read.warnings,
  };
}

function documentOf(read: z.output<typeof published>, folder: string): CampaignDocument {
  return {
    campaign: read.name,
    state: read.state,
    items: {
      ...read.items,
      duplicates: read.duplicates,
      cached: read.cached,
      adopted: read.adopted,
    },
    submissions: read.submissions,
    rejected429: read.rejected_429,
    out: folder,
    startedAt: read.started_at,
    endedAt: read.ended_at,
  };
}
