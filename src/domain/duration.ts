/** Durations as people write and read them. */

const UNITS: Readonly<Record<string, number>> = {
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
  const length = Number(match[1]) * (UNITS[match[2] ?? 'ms'] ?? 1);
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
