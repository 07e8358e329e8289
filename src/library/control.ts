/** Pauses, resumes and cancels a campaign by its name, whichever process works on it. */
import type { Client } from '@temporalio/client';
import { cancelCampaign, pauseCampaign, resumeCampaign, sendIfOpen } from '../campaigns/control.ts';
import { inSession } from '../campaigns/in-session.ts';
import type { ServiceName } from '../domain/item.ts';
import {
  environmentOf,
  logToWorkerLog,
  settingsOf,
  type ConfigurationOptions,
} from './configuration.ts';

/** What `resume` resumes. */
export interface ResumeOptions extends ConfigurationOptions {
  /** Only this service: one that was paused because its items fail for the same reason. Default: the whole campaign. */
  readonly service?: ServiceName;
}

/**
 * Pauses a campaign: it submits no more jobs, and fetches the results of submitted jobs. Durable: if no process works
 * on the campaign now, it takes effect with the next one.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function pause(name: string, options: ConfigurationOptions = {}): Promise<boolean> {
  return send(name, options, (client) => pauseCampaign(client, name));
}

/**
 * Resumes a paused campaign. Durable, as `pause`.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function resume(name: string, options: ResumeOptions = {}): Promise<boolean> {
  return send(name, options, (client) => resumeCampaign(client, name, options.service));
}

/**
 * Cancels a campaign: its open items become `cancelled`, and the tables of the finished items are written by the
 * process that works on it, or by the next one that does. Used slots stay used. Durable, as `pause`.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function cancel(name: string, options: ConfigurationOptions = {}): Promise<boolean> {
  return send(name, options, (client) => cancelCampaign(client, name));
}

async function send(
  name: string,
  options: ConfigurationOptions,
  message: (client: Client) => Promise<void>,
): Promise<boolean> {
  const settings = settingsOf(options, { tokens: 'optional' });
  logToWorkerLog(settings);
  const environment = environmentOf(options);
  return inSession({ settings, environment, purpose: 'look' }, async (session) => {
    const { open } = await sendIfOpen(session, name, message);
    return open;
  });
}
