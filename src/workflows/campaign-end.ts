/** Publishes a campaign that has ended or was cancelled, and notifies of its end and of its pauses. */
import { log } from '@temporalio/workflow';
import type { CampaignSpec, SameFailures, ServiceReference } from '../domain/campaign.ts';
import { publish, notify, notifyRefusal } from './activity-options.ts';
import { inTurns } from './turns.ts';
import type { Published } from './activity-types.ts';
import { explain } from './item.ts';

/** @param startedAt when the campaign began (ms) */
export async function publishEnd(
  spec: CampaignSpec,
  startedAt: number,
  state: 'completed' | 'cancelled',
): Promise<Published> {
  const { store, tree, name, retried, cache, publishQueue } = spec;
  const options = {
    summary: 'tables, report and checksums',
    ...(publishQueue !== undefined && { taskQueue: publishQueue }),
    ...inTurns(name),
  };
  const request = {
    store,
    campaign: name,
    state,
    retried,
    cache,
    tree,
    startedAt: new Date(startedAt).toISOString(),
  };
  return publish.executeWithOptions(options, [request]);
}

/** Returns why notifications failed, a sentence each. Does nothing if none is configured. */
export async function notifyEnd({ notify: ways, store }: CampaignSpec): Promise<string[]> {
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
  { notify: ways, name }: CampaignSpec,
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
