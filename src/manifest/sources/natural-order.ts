/** `plate2` before `plate10`, the same on every machine. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

export function inNaturalOrder(names: readonly string[]): string[] {
  // Names that differ in accents or width alone are equal to the collator, and must not change places.
  return [...names].sort((a, b) => COLLATOR.compare(a, b) || (a < b ? -1 : 1));
}
