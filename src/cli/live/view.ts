/** How a followed campaign is shown. */
import type { CampaignObservation } from '../../runner/observe.ts';

/** Shows observations; the terminal is always restored. */
export interface View {
  show(observation: CampaignObservation): void;
  /** What prevents observations. */
  trouble(words: string): void;
  /** What a key did. */
  notice(words: string): void;
  end(): void;
}
