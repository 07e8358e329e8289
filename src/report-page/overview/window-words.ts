/** The text about a rolling window, from the bounds of how many jobs were in the fullest one. */
import type { ServiceFacts } from '../data.ts';
import { countText, durationText } from '../words.ts';

/** Reports more than allowed only if that is certain. */
export function windowWords(
  [least, most]: readonly [certain: number, possible: number],
  { limit, windowMs }: NonNullable<ServiceFacts['budget']>,
): string {
  const range =
    least === most
      ? `at most ${countText(least)}`
      : `between ${countText(least)} and ${countText(most)}`;
  const claim = `${range} in any ${durationText(windowMs)}, of ${countText(limit)} allowed`;
  if (least > limit) return `${claim}: more than allowed`;
  if (most <= limit) return claim;
  return `${claim}: the recorded times allow no closer statement`;
}
