/** Share and priority of a campaign among others that use the same token. */
import type { Standing } from '../domain/campaign.ts';

export interface StandingOptions {
  /** Turns for each one of other campaigns of the same priority: above 0, at most 100; default 1. */
  readonly share?: number;
  /** From 1, which goes before all others, to 5; default 3. */
  readonly priority?: number;
  /** Slots of each window that it leaves to others; default none. */
  readonly reserve?: number;
}

export function standingOf({ share = 1, priority, reserve }: StandingOptions): Standing {
  return {
    weight: share,
    ...(priority !== undefined && { priority }),
    ...(reserve !== undefined && reserve > 0 && { reserve }),
  };
}
