/** Events that a budget carries over when it continues as new. */
import type { BudgetEvent } from '../../budget/events.ts';

/** They share a payload of at most 2 MB with the queue, which takes up to 1.7 MB (rolling-window.ts). */
const MOST_CARRIED = { events: 1_000, characters: 200_000 };

export function canBeCarried(events: readonly BudgetEvent[]): boolean {
  if (events.length > MOST_CARRIED.events) return false;
  // It counts by the time of its answer, and that is read after it.
  if (events.some(({ type }) => type === 'close')) return false;
  return events.length === 0 || JSON.stringify(events).length <= MOST_CARRIED.characters;
}
