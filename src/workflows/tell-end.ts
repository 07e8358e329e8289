/** Tells those who want to know it that a campaign has ended. A failure fails nothing: it is returned, and logged. */
import { log } from '@temporalio/workflow';
import type { CampaignPlan } from '../domain/campaign.ts';
import { notify } from './activity-options.ts';
import { explain } from './item-end.ts';

/** Returns why somebody was not told, a sentence each. Without anybody to tell it does nothing at all. */
export async function tellEnd({ notify: ways = [], store }: CampaignPlan): Promise<string[]> {
  const reasons: string[] = [];
  await Promise.all(
    ways.map(async (way) => {
      try {
        await notify.executeWithOptions({ summary: `tell the ${way} of the end` }, [store, way]);
      } catch (error) {
        const { message } = explain(error);
        reasons.push(message);
        log.warn('somebody was not told of the end', { way, reason: message });
      }
    }),
  );
  return reasons;
}
