/**
 * When the end of a campaign is expected, from its remaining rows and the status of its budgets.
 *
 * Only the budgets know what is charged, and a workflow cannot query another one: an activity reads them and runs
 * the arithmetic of `plan`. Rejected: signals from the budgets, which cost an event for each change, and the pace so
 * far, which is wrong after the first burst.
 */
import { condition, isCancellation, log, patched } from '@temporalio/workflow';
import type { CampaignProgress } from '../domain/campaign.ts';
import { foresee } from './activity-options.ts';
import { progressOf, type CampaignParts } from './campaign-progress.ts';
import type { Feed } from './feed.ts';
import type { Foreseen } from './activity-types.ts';

/** Nothing waits for it: it is only displayed. */
export class ExpectedEnd {
  latest: Foreseen | null = null;
  /** Every item for which there was room was started, and a slot requested. */
  isRoomFilled = false;
  readonly #parts: () => CampaignParts;
  readonly #onRenewed: () => void;

  constructor(parts: () => CampaignParts, onRenewed: () => void) {
    this.#parts = parts;
    this.#onRenewed = onRenewed;
  }

  async renew(): Promise<void> {
    // Older campaigns run without this until they continue as new.
    if (!patched('foresee-end')) return;
    try {
      await condition(() => this.isRoomFilled);
      const parts = this.#parts();
      this.latest = await expectEnd(parts.spec.store, progressOf(parts), parts.feeds);
      this.#onRenewed();
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }
}

/**
 * Recent events are omitted: they are not needed here, and every forecast stays in the history.
 * @returns null if nothing is open, or a budget does not answer, which must not end the campaign
 */
async function expectEnd(
  store: string,
  { recent: _recent, failures: _failures, ...progress }: CampaignProgress,
  feeds: readonly Feed[],
): Promise<Foreseen | null> {
  // A budget without requests may not exist.
  const asked = feeds
    .filter(({ open }) => open.size > 0)
    .flatMap(({ spec: { reference, others = [] } }) => [
      reference,
      ...others.map((credential) => ({ ...reference, credential })),
    ]);
  if (asked.length === 0) return null;
  const summary = 'when the end is expected';
  try {
    return await foresee.executeWithOptions({ summary }, [store, progress, asked]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the end could not be estimated', { error: String(error) });
    return null;
  }
}
