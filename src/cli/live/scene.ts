/** All that the live view shows at one moment. */
import type { Observation, Observed } from '../../campaigns/observe.ts';
import type { Happening } from './happenings.ts';
import type { Pace } from './pace.ts';

export interface Scene {
  readonly followed: Observed;
  /** The Temporal UI; null when none is known. */
  readonly ui: string | null;
  /** ms since the epoch; later than the observation, where nothing was asked since. */
  readonly now: number;
  readonly seen: Observation;
  /** Oldest first. */
  readonly happenings: readonly Happening[];
  readonly pace: Pace | null;
  /** What keeps us from seeing, or what was just pressed; null most of the time. */
  readonly notice: string | null;
  /** What the keys do is shown where there is a keyboard; `ctrlC`: what that one does. */
  readonly keys: { readonly ctrlC: () => string } | null;
}
