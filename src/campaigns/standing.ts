/** How a campaign stands among others that use the same token. */
import type { Standing } from '../domain/campaign.ts';

export interface StandingOptions {
  /** Turns for each one of other campaigns of the same priority: above 0, at most 100; 1 when it is left out. */
  readonly share?: number;
  /** From 1, which goes before all others, to 5; 3 when it is left out. */
  readonly priority?: number;
  /** Slots of each window that it leaves to others; none when it is left out. */
  readonly reserve?: number;
}

export function standingOf({ share = 1, priority, reserve }: StandingOptions): Standing {
  return {
    weight: share,
    ...(priority !== undefined && { priority }),
    ...(reserve !== undefined && reserve > 0 && { reserve }),
  };
}
