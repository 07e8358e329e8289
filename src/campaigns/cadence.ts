/** How often a campaign is polled: often while something happens, rarely while it waits. Pure. */
import type { CampaignObservation } from './observe.ts';

const SHORTEST_MS = 1_000;
/** In a campaign of thousands, nobody sees a second's difference, and each poll costs several calls. */
const SHORTEST_OF_MANY_MS = 2_000;
const MANY_ITEMS = 2_000;
const LONGEST_MS = 4_000;
/** Just after a slot has become free, a submission is likely. */
const AFTER_A_SLOT_MS = 300;

/** How long to wait until the next poll, in ms. `before`: the previous poll, and the wait before this one. */
export function nextLookIn(
  before: { readonly seen: CampaignObservation; readonly waited: number } | null,
  seen: CampaignObservation,
): number {
  const shortest = seen.progress.total < MANY_ITEMS ? SHORTEST_MS : SHORTEST_OF_MANY_MS;
  if (!before || differ(before.seen, seen)) return shortest;
  const longer = Math.min(LONGEST_MS, before.waited * 1.5);
  const slots = seen.budgets.flatMap(({ credentials }) =>
    credentials.flatMap(({ nextFreeAt }) => nextFreeAt ?? []),
  );
  const coming = slots.filter((at) => at > seen.at).map((at) => at - seen.at + AFTER_A_SLOT_MS);
  return Math.max(shortest, Math.min(longer, ...coming));
}

/** Slots that became free by time make no difference: they follow from the clock. */
function differ(one: CampaignObservation, other: CampaignObservation): boolean {
  return fingerprint(one) !== fingerprint(other);
}

function fingerprint({ progress, budgets }: CampaignObservation): string {
  const { state, total, open, ended } = progress;
  const drawn = budgets.map(({ counts, outstanding, waiting, addressWindow, credentials }) => [
    ...[counts, outstanding, waiting],
    ...[addressWindow, ...credentials].map(({ limit, blockedUntil }) => [limit, blockedUntil]),
  ]);
  return JSON.stringify([state, total, open, ended, drawn]);
}
