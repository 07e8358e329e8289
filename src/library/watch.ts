/** Follows a campaign that was started elsewhere. */
import { findCampaign } from '../campaigns/find.ts';
import { openSession } from '../host/open-session.ts';
import { Campaign } from './campaign.ts';
import {
  environmentOf,
  logToWorkerLog,
  settingsOf,
  type ConfigurationOptions,
} from './configuration.ts';
import type { CampaignEvent } from './events.ts';

/** How a campaign is followed. */
export interface WatchOptions extends ConfigurationOptions {
  /** Ends the iteration; the campaign continues. */
  readonly signal?: AbortSignal;
}

/**
 * Follows a campaign by its name until it has ended or the signal is aborted. If no process works on the campaign, this
 * process does, as long as it follows it.
 *
 * @param name - name of the campaign
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_BROKEN_OFF`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function* watch(
  name: string,
  options: WatchOptions = {},
): AsyncGenerator<CampaignEvent, void, undefined> {
  const settings = settingsOf(options, { tokens: 'optional' });
  const { signal = new AbortController().signal } = options;
  if (signal.aborted) return;
  logToWorkerLog(settings);
  const session = await openSession({
    settings,
    environment: environmentOf(options),
    localServices: null,
    anyHost: true,
  });
  try {
    const { out, open, state } = await findCampaign(session.client, name);
    const idle = !open && (state === 'completed' || state === 'cancelled');
    yield* new Campaign({ session, name, out, signal, idle, notices: [] }).events();
  } finally {
    await session.close();
  }
}
