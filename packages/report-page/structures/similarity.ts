/** Similarity of molecules by their Morgan fingerprints (Tanimoto), and orders by it. Pure. */
import { FINGERPRINT_BYTES } from '../../../src/report/page-data.ts';

/** Concatenated fingerprints. */
type Fingerprints = Uint8Array;

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let bits = 0;
  for (let rest = byte; rest > 0; rest >>= 1) bits += rest & 1;
  return bits;
});

/** From 0, nothing in common, to 1: the same bits, but not necessarily the same molecule. */
export function tanimoto(prints: Fingerprints, one: number, other: number): number {
  let [both, either] = [0, 0];
  const [from, to] = [one * FINGERPRINT_BYTES, other * FINGERPRINT_BYTES];
  for (let byte = 0; byte < FINGERPRINT_BYTES; byte += 1) {
    const [a, b] = [prints[from + byte] ?? 0, prints[to + byte] ?? 0];
    both += BITS[a & b] ?? 0;
    either += BITS[a | b] ?? 0;
  }
  return either === 0 ? 1 : both / either;
}

/** The most similar to `model` first, each with its similarity; ties keep their order. */
export function orderLike(
  prints: Fingerprints,
  places: readonly number[],
  model: number,
): readonly { readonly place: number; readonly similarity: number }[] {
  return places
    .map((place) => ({ place, similarity: tanimoto(prints, model, place) }))
    .sort((a, b) => b.similarity - a.similarity);
}

/** Above this number, comparing all with all takes more than a second. */
const MOST_LEADERS = 1_500;

/**
 * Neighbours are similar: each molecule is followed by the most similar of the remaining ones. In a long list, only
 * leaders, spread evenly over the list, are ordered like this; each other molecule follows its most similar leader.
 */
export function orderBySimilarity(
  prints: Fingerprints,
  places: readonly number[],
): readonly number[] {
  const step = Math.max(1, Math.ceil(places.length / MOST_LEADERS));
  const leaders = places.filter((_, turn) => turn % step === 0);
  const behind = new Map(leaders.map((leader) => [leader, [] as number[]]));
  for (const [turn, place] of places.entries()) {
    if (turn % step !== 0) behind.get(mostLike(prints, place, leaders))?.push(place);
  }
  return chain(prints, leaders).flatMap((leader) => [leader, ...(behind.get(leader) ?? [])]);
}

function chain(prints: Fingerprints, places: readonly number[]): readonly number[] {
  const left = [...places];
  const order: number[] = [];
  let now = left.shift();
  while (now !== undefined) {
    order.push(now);
    if (left.length === 0) break;
    const next = mostLike(prints, now, left);
    left.splice(left.indexOf(next), 1);
    now = next;
  }
  return order;
}

/** The first of equally similar ones. */
function mostLike(prints: Fingerprints, place: number, others: readonly number[]): number {
  let [found, most] = [others[0] ?? place, -1];
  for (const other of others) {
    const similarity = tanimoto(prints, place, other);
    if (similarity > most) [found, most] = [other, similarity];
  }
  return found;
}
