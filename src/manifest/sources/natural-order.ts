/** `plate2` before `plate10`, the same on every machine. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

export function inNaturalOrder(names: readonly string[]): string[] {
  // The collator treats names that differ only in accents or width as equal; their order must be stable too.
  return [...names].sort((a, b) => COLLATOR.compare(a, b) || (a < b ? -1 : 1));
}
