/** Durations as people write them. */

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
