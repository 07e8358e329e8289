/** Times in words. A workflow knows no time zone but UTC, and says so. Pure; all in ms since the epoch. */

/** `22 Nov 02:14:33 UTC`: with the day, because it may be read on another day. */
export function utc(at: number): string {
  const date = new Date(at);
  const month = MONTHS[date.getUTCMonth()] ?? '';
  return `${date.getUTCDate()} ${month} ${date.toISOString().slice(11, 19)} UTC`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `02:14:33 UTC`, where what it stands beside has a date; with the day when it is not the same as that of `now`. */
export function clock(at: number, now: number): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return day(at) === day(now) ? utc(at).replace(/^\d+ \w+ /, '') : utc(at);
}
