/**
 * What waits although a slot is free: a submission that was not sent, for a reason that concerns neither the service
 * nor the item. The machine's ledger has no slot left for the credential, or no worker has the campaign's folder.
 */
export interface Holds {
  /** Credential or campaign → held until (ms), and why. */
  credentials: Record<string, Hold>;
  campaigns: Record<string, Hold>;
}

export interface Hold {
  readonly until: number;
  readonly reason: string;
}

export function newHolds(): Holds {
  return { credentials: {}, campaigns: {} };
}

export function hold(holds: Record<string, Hold>, name: string, { until, reason }: Hold): void {
  holds[name] = { until: Math.max(until, holds[name]?.until ?? 0), reason };
}

/** When a request of this campaign with this credential is no longer held (ms); 0 when it is not. */
export function heldUntil(
  holds: Holds,
  { campaign, credential }: { readonly campaign: string; readonly credential: string },
): number {
  return Math.max(holds.campaigns[campaign]?.until ?? 0, holds.credentials[credential]?.until ?? 0);
}

/** Forgets those that are over. */
export function sweepHolds(holds: Holds, now: number): void {
  for (const held of [holds.campaigns, holds.credentials]) {
    for (const name in held) {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
      if ((held[name]?.until ?? 0) <= now) delete held[name];
    }
  }
}
