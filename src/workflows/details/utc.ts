/** Times in words. A workflow knows no time zone but UTC, and says so. Pure. */

/** `02:14:33 UTC`, with the day where it is not that of `now`: `22 Nov 02:14:33 UTC`. Both in ms since the epoch. */
export function utc(at: number, now: number): string {
  const date = new Date(at);
  const time = `${date.toISOString().slice(11, 19)} UTC`;
  return sameDay(at, now) ? time : `${date.getUTCDate()} ${monthOf(date)} ${time}`;
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).toISOString().slice(0, 10) === new Date(b).toISOString().slice(0, 10);
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function monthOf(date: Date): string {
  return MONTHS[date.getUTCMonth()] ?? '';
}
