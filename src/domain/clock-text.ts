/** Times of day as people read them. Pure. */

let formats: { readonly time: Intl.DateTimeFormat; readonly day: Intl.DateTimeFormat } | null =
  null;

/**
 * Created once: `toLocaleString` creates one for each call, which was half of the cost of the live view. And only when
 * needed: they take 20 ms, a twentieth of `status`.
 */
function createFormats() {
  formats ??= {
    time: new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }),
    day: new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }),
  };
  return formats;
}

/** The clock time of an epoch time, with the day when it is not today's. */
export function formatClock(at: number, now: number): string {
  const { time, day } = createFormats();
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  return sameDay ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
}
