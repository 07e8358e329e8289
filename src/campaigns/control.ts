/** Pause, resume and cancel: durable, because each is a message to the campaign's workflow. */
import type { Client } from '@temporalio/client';
import type { ServiceName } from '../domain/item.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';

/** Submits nothing more; what was submitted is fetched. */
export async function pauseCampaign(client: Client, name: string): Promise<void> {
  await client.workflow.getHandle(campaignWorkflowId(name)).signal(pauseSignal);
}

/** @param service only there; at all services when it is left out */
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
