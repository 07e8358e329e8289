/** Durations, sizes and times of day as people write and read them. */

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `10s`, `60m`, `1.5h`, `14d`, or a bare number of ms. In ms; null when invalid or not above zero. */
export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  if (!match) return null;
  const length = Number(match[1]) * (DURATION_UNITS[match[2] ?? 'ms'] ?? 1);
  return length > 0 ? length : null;
}

/** Same as `formatDuration`, for a non-zero duration: less than a second is `1 s`. */
export function formatNonZeroDuration(lengthMs: number): string {
  return formatDuration(Math.max(1_000, lengthMs));
}

/** The largest two units: `2 h 14 min`, `35 s`. */
export function formatDuration(lengthMs: number): string {
  const seconds = Math.max(0, Math.round(lengthMs / 1_000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([n]) => n > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(' ');
}

const SIZE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** `28 bytes`, `2.3 MB`, `540 kB`: with a decimal below ten. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  let size = bytes / 1_000;
  let unit = 0;
  // What would be rounded to a thousand has the next unit.
  for (; size >= 999.5 && unit < SIZE_UNITS.length - 1; unit += 1) size /= 1_000;
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${SIZE_UNITS[unit] ?? ''}`;
}

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
