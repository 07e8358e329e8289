/** How a campaign that is followed is shown. */
import type { Observation } from '../../campaigns/observe.ts';

/** Shows observations; left in order whatever happens. */
export interface View {
  show(observation: Observation): void;
  /** What keeps us from seeing anything. */
  trouble(words: string): void;
  /** What a key has done. */
  notice(words: string): void;
  end(): void;
}
