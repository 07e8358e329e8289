/**
 * S3 lists keys in the order of their UTF-8 bytes; the store returns them in the order of their UTF-16 code units. The
 * two differ only between characters from U+E000 on: those above U+FFFF are surrogates in UTF-16, which sort before.
 */

const FROM = 0xd800;

/** Index of the first code unit whose position differs between the two orders; -1 for most keys. */
function firstAffected(key: string): number {
  for (let at = 0; at < key.length; at += 1) if (key.charCodeAt(at) >= FROM) return at;
  return -1;
}

/** `keys` in the order of UTF-8 → the same in the order of code units; only delays keys that may change places. */
export async function* inCodeUnitOrder(keys: AsyncIterable<string>): AsyncGenerator<string> {
  let held: string[] = [];
  let shared: string | null = null;
  const isHeld = (key: string): boolean =>
    shared !== null && key.startsWith(shared) && key.charCodeAt(shared.length) >= FROM;
  for await (const key of keys) {
    if (!isHeld(key)) {
      yield* held.sort(byCodeUnits);
      held = [];
      const at = firstAffected(key);
      shared = at < 0 ? null : key.slice(0, at);
    }
    if (shared === null) yield key;
    else held.push(key);
  }
  yield* held.sort(byCodeUnits);
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
