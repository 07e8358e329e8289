/** Selects `size` elements of a list, evenly spread, always the same ones. Pure. */
export function sampleOf<T>(list: readonly T[], size: number): T[] {
  if (!(size >= 1)) throw new Error('--sample is a whole number from 1');
  if (size >= list.length) return [...list];
  return Array.from({ length: size }, (_, n) => list[Math.floor((n * list.length) / size)] as T);
}
