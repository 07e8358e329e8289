/** Notifies that a campaign has ended. A failure does not fail the campaign: it is returned and logged. */
import { log } from '@temporalio/workflow';
import type { CampaignSpec, SameFailures, ServiceReference } from '../domain/campaign.ts';
import { notify, notifyRefusal } from './activity-options.ts';
import { explain } from './item-end.ts';

/** Returns why notifications failed, a sentence each. Does nothing if none is configured. */
export async function notifyEnd({ notify: ways = [], store }: CampaignSpec): Promise<string[]> {
  const reasons: string[] = [];
  await Promise.all(
    ways.map(async (way) => {
      try {
        await notify.executeWithOptions({ summary: `notify the ${way} of the end` }, [store, way]);
      } catch (error) {
        const { message } = explain(error);
        reasons.push(message);
        log.warn('a notification of the end failed', { way, reason: message });
      }
    }),
  );
  return reasons;
}

/** Notifies that a campaign has paused a service, because its items fail for the same reason. */
export async function notifyPause(
  { notify: ways = [], name }: CampaignSpec,
  { service, address }: ServiceReference,
  { code, message, times }: SameFailures,
): Promise<void> {
  if (ways.length === 0) return;
  const words = `${times} items failed with ${code}: ${message}`;
  const since = new Date(Date.now()).toISOString();
  try {
    const summary = `notify that ${service} is paused`;
    const notice = { service, address, since, message: words, campaign: name };
    await notifyRefusal.executeWithOptions({ summary }, [notice]);
  } catch (error) {
    const { message: reason } = explain(error);
    log.warn('the notification that a service is paused failed', { service, reason });
  }
}
