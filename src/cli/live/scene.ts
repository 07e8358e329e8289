/** Everything that the live view shows at one moment. */
import type { CampaignObservation, Observed } from '../../runner/observe.ts';
import type { Happening } from './happenings.ts';
import type { CampaignPace } from './pace.ts';

export interface Scene {
  readonly followed: Observed;
  /** The Temporal UI; null when none is known. */
  readonly ui: string | null;
  /** ms since the epoch; later than the observation if no new one has arrived. */
  readonly now: number;
  readonly seen: CampaignObservation;
  /** Oldest first. */
  readonly happenings: readonly Happening[];
  readonly pace: CampaignPace | null;
  /** A connection problem, or the effect of the last key; usually null. */
  readonly notice: string | null;
  /** Keys are shown only if there is a keyboard; `ctrlC`: what Ctrl-C does. */
  readonly keys: { readonly ctrlC: () => string } | null;
}
