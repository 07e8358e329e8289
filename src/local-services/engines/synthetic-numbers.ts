/** Deterministic pseudorandom numbers: a hash of the input, mapped to 0 to 1. */

/** FNV-1a over the text, then one value in [0, 1) per position, rounded to three digits. */
export function syntheticValues(seed: string, count: number): number[] {
  let hash = 0x811c9dc5;
  for (let n = 0; n < seed.length; n += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(n), 0x01000193);
  }
  return Array.from({ length: count }, (_, n) => {
    const mixed = Math.imul(hash ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
    return Math.floor((mixed / 4_294_967_296) * 1000) / 1000;
  });
}
