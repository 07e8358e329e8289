/** How a campaign ended: the JSON document of `--json`, the closing words for people, the exit code. */
import { join } from 'node:path';
import { z } from 'zod';
import { formatDuration } from '../config/duration.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { CAMPAIGN_SUMMARY, FAILED_TABLE } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { say } from './explain.ts';

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
  submissions: z.number(),
  rejected_429: z.number(),
});

/** The document of `--json` (docs/output-tree.md). */
export interface EndedSummary {
  readonly campaign: string;
  readonly state: string;
  readonly items: z.output<typeof counts> & {
    readonly duplicates: number;
    readonly cached: number;
  };
  readonly submissions: number;
  readonly rejected429: number;
  readonly out: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** Reads the campaign.json of a tree. */
export async function endedSummary(store: Store, folder: string): Promise<EndedSummary> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  if (text === null) {
    throw new HundredfoldError({
      code: 'CAMPAIGN_NOT_PUBLISHED',
      message: `${folder} has no ${CAMPAIGN_SUMMARY}: the campaign has not ended there`,
      remedy: 'Type the "hundredfold run" command of this campaign again.',
    });
  }
  const read = published.parse(JSON.parse(text));
  return {
    campaign: read.name,
    state: read.state,
    items: { ...read.items, duplicates: 0, cached: 0 },
    submissions: read.submissions,
    rejected429: read.rejected_429,
    out: folder,
    startedAt: read.started_at,
    endedAt: read.ended_at,
  };
}

export function printSummary(summary: EndedSummary, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  const { items, campaign, out, startedAt, endedAt } = summary;
  const took =
    endedAt === null ? '' : ` in ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  const others = (['failed', 'held', 'cancelled', 'invalid'] as const)
    .filter((state) => items[state] > 0)
    .map((state) => `, ${items[state]} ${state}`);
  say(`${campaign}: ${items.succeeded} of ${items.total} succeeded${others.join('')}${took}.`);
  say(`  ${out}`);
  if (items.failed + items.held > 0) say(`  what failed, and why: ${join(out, FAILED_TABLE)}`);
}

export function exitCodeOf({ state, items }: EndedSummary): number {
  if (state === 'cancelled') return EXIT.cancelled;
  return items.succeeded === items.total ? EXIT.ok : EXIT.incomplete;
}
