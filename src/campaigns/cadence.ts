/** How often a campaign is looked at: soon while something happens, seldom while it waits. Pure. */
import type { Session } from '../host/session.ts';
import type { Observation } from './observe.ts';

const SHORTEST_MS = 1_000;
/** Of a campaign of thousands a second more or less changes nothing that a person sees, and each look is several calls. */
const SHORTEST_OF_MANY_MS = 2_000;
const MANY_ITEMS = 2_000;
/** A night in which nothing is due costs less with fewer looks. A slot that becomes free is not waited for as long. */
const LONGEST_MS = 10_000;
/** If the host has ended, the next look finds out, and this command takes over. */
const LONGEST_BESIDE_A_HOST_MS = 4_000;
/** Just after a slot has become free something is about to happen. */
const AFTER_A_SLOT_MS = 300;

/**
 * How long to wait until the next look, in ms.
 * @param before the look before this one, and how long was waited then
 * @param role of the session
 */
export function nextLookIn(
  before: { readonly seen: Observation; readonly waited: number } | null,
  seen: Observation,
  role: Session['role'],
): number {
  const shortest = seen.progress.total < MANY_ITEMS ? SHORTEST_MS : SHORTEST_OF_MANY_MS;
  if (!before || differ(before.seen, seen)) return shortest;
  const longest = role === 'joined' ? LONGEST_BESIDE_A_HOST_MS : LONGEST_MS;
  const longer = Math.min(longest, before.waited * 1.5);
  const slots = seen.budgets.flatMap(({ credentials }) =>
    credentials.flatMap(({ nextFreeAt }) => nextFreeAt ?? []),
  );
  const coming = slots.filter((at) => at > seen.at).map((at) => at - seen.at + AFTER_A_SLOT_MS);
  return Math.max(shortest, Math.min(longer, ...coming));
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
