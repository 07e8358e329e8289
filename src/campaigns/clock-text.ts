/** Times of day as people read them. Pure. */

// Made once: `toLocaleString` makes one for each call, which was half of what the live view cost.
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });

/** The clock time of an epoch time, with the day when it is not today's. */
export function clockText(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  return sameDay ? TIME.format(at) : `${DAY.format(at)} ${TIME.format(at)}`;
}
