/**
 * What waits although a slot is free: a submission that was not sent, for a reason that concerns neither the service
 * nor the item. The machine's ledger has no slot left for the token, or no worker has the campaign's folder.
 */
export interface Holds {
  /** Everything waits; null if it does not. */
  all: Hold | null;
  /** By campaign. */
  campaigns: Record<string, Hold>;
}

export interface Hold {
  /** ms */
  readonly until: number;
  readonly reason: string;
}

/** The longer of both. */
export function longerHold(one: Hold | null | undefined, { until, reason }: Hold): Hold {
  return { until: Math.max(until, one?.until ?? 0), reason };
}

/** When a request of this campaign is no longer held (ms); 0 when it is not. */
export function heldUntil({ all, campaigns }: Holds, campaign: string): number {
  return Math.max(all?.until ?? 0, campaigns[campaign]?.until ?? 0);
}

/** Forgets those that are over. */
export function sweepHolds(holds: Holds, now: number): void {
  if (holds.all && holds.all.until <= now) holds.all = null;
  const left = Object.entries(holds.campaigns).filter(([, { until }]) => until > now);
  holds.campaigns = Object.fromEntries(left);
}
