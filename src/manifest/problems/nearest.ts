/** Finds the known name that was probably meant by a misspelt one. */

/** Names of up to two letters must match except for case; short ones may differ by one letter, long ones by two. */
function allowance(length: number): number {
  if (length <= 2) return 0;
  return length <= 5 ? 1 : 2;
}

export function nearest<T extends string>(text: string, known: readonly T[]): T | null {
  const wanted = text.trim().toLowerCase();
  let best: T | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const limit = Math.min(allowance(name.length), allowance(wanted.length));
    if (Math.abs(name.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, name);
    if (distance <= limit && distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Letters added, dropped, changed, or swapped with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
