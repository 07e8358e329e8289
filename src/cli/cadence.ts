/** How often a campaign is looked at: soon while something happens, seldom while it waits. Pure. */
import type { Observation } from './observe.ts';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 4_000;
/** Just after a slot has become free something is about to happen. */
const AFTER_A_SLOT_MS = 300;

/** How long to wait until the next look, in ms. `before`: the look before this one, and how long was waited then. */
export function nextLookIn(
  before: { readonly seen: Observation; readonly waited: number } | null,
  seen: Observation,
): number {
  if (!before || differ(before.seen, seen)) return SHORTEST_MS;
  const longer = Math.min(LONGEST_MS, before.waited * 1.5);
  const slots = seen.budgets.flatMap(({ credentials }) =>
    credentials.flatMap(({ nextFreeAt }) => nextFreeAt ?? []),
  );
  const coming = slots.filter((at) => at > seen.at).map((at) => at - seen.at + AFTER_A_SLOT_MS);
  return Math.max(SHORTEST_MS, Math.min(longer, ...coming));
}

/** Slots that became free by themselves make no difference: they are counted from the clock. */
function differ(one: Observation, other: Observation): boolean {
  return fingerprint(one) !== fingerprint(other);
}

function fingerprint({ progress, budgets }: Observation): string {
  const { state, total, open, ended } = progress;
  const drawn = budgets.map(({ counts, outstanding, waiting, addressWindow, credentials }) => [
    ...[counts, outstanding, waiting],
    ...[addressWindow, ...credentials].map(({ limit, blockedUntil }) => [limit, blockedUntil]),
  ]);
  return JSON.stringify([state, total, open, ended, drawn]);
}
