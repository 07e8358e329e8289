/** Pause, resume and cancel: durable, because each is a message to the campaign's workflow. */
import type { Client } from '@temporalio/client';
import type { ServiceName } from '../domain/item.ts';
import type { Session } from '../host/session.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { findCampaign, type CampaignLine } from './find.ts';
import { settled } from './progress.ts';

/** Sends one of the messages below if the campaign is open. Returns its state before. */
export async function sendIfOpen(
  { client }: Session,
  name: string,
  send: (client: Client) => Promise<void>,
): Promise<CampaignLine> {
  const found = await findCampaign(client, name);
  if (!found.open) return found;
  await send(client);
  // Until it was taken, `status` would show the state before. Also, the worker of this process may have the task: if it
  // ended now, the server would wait several seconds for it.
  await settled(client, campaignWorkflowId(name), 2);
  return found;
}

/** Submits nothing more; what was submitted is fetched. */
export async function pauseCampaign(client: Client, name: string): Promise<void> {
  await client.workflow.getHandle(campaignWorkflowId(name)).signal(pauseSignal);
}

/** @param service only there; default: at all services */
export async function resumeCampaign(
  client: Client,
  name: string,
  service?: ServiceName,
): Promise<void> {
  await client.workflow.getHandle(campaignWorkflowId(name)).signal(resumeSignal, service);
}

/** Slots that were used stay used. */
export async function cancelCampaign(client: Client, name: string): Promise<void> {
  await client.workflow.getHandle(campaignWorkflowId(name)).cancel();
}
