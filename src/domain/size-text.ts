/** Sizes of files and disks for people to read. */

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** `28 bytes`, `2.3 MB`, `540 kB`: with a decimal below ten. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  let size = bytes / 1_000;
  let unit = 0;
  // What would be rounded to a thousand has the next unit.
  for (; size >= 999.5 && unit < UNITS.length - 1; unit += 1) size /= 1_000;
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit] ?? ''}`;
}
