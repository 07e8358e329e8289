/** Combines the windows of several credentials of one campaign into one, for forecasts. */
import type { WindowStatus } from '../budget/status.ts';

/** @param windows at least one */
export function pooled(windows: readonly WindowStatus[]): WindowStatus {
  const [first] = windows;
  if (first === undefined) throw new Error('no window to count with');
  if (windows.length === 1) return first;
  // A blocked credential submits nothing; its rows go to the others.
  const open = windows.filter(({ blockedUntil }) => blockedUntil === null);
  const used = open.length > 0 ? open : windows;
  const blocks = used.flatMap((one) => one.blockedUntil ?? []);
  const next = used.flatMap(({ nextFreeAt }) => nextFreeAt ?? []);
  return {
    limit: sumOf(used, ({ limit }) => limit),
    windowMs: Math.max(...used.map(({ windowMs }) => windowMs)),
    charged: used.reduce((sum, { charged }) => sum + charged, 0),
    free: sumOf(used, ({ free }) => free),
    nextFreeAt: next.length > 0 ? Math.min(...next) : null,
    releases: used.flatMap(({ releases }) => releases).sort((a, b) => a - b),
    blockedUntil: blocks.length > 0 ? Math.min(...blocks) : null,
    blockedBecause: used[0]?.blockedBecause ?? null,
  };
}

/** null: one of them has no limit. */
function sumOf(
  windows: readonly WindowStatus[],
  of: (window: WindowStatus) => number | null,
): number | null {
  let sum = 0;
  for (const window of windows) {
    const n = of(window);
    if (n === null) return null;
    sum += n;
  }
  return sum;
}
