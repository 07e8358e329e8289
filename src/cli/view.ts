/** How a campaign that is followed is shown. */
import type { Observation } from './observe.ts';

export interface Followed {
  readonly name: string;
  readonly folder: string;
}

/** Shows observations; left in order whatever happens. */
export interface View {
  show(observation: Observation): void;
  /** What keeps us from seeing anything. */
  trouble(words: string): void;
  end(): void;
}
