/** A campaign whose workflow cannot go on: it takes no message, and would never end by itself. */
import type { Client } from '@temporalio/client';
import { stuckBecause } from '../watchdog/stuck.ts';
import { progressQuery } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { ask } from './ask.ts';

/** Why, as the end of a sentence; null where it answers or may yet. Takes at most 7 s, and no time where it answers. */
export async function whyTasksFail(client: Client, name: string): Promise<string | null> {
  const workflowId = campaignWorkflowId(name);
  try {
    await ask(client, workflowId, progressQuery);
    return null;
  } catch {
    // Whatever the reason is: the server has recorded why its tasks fail.
    const description = await client.workflow.getHandle(workflowId).describe();
    const stuck = await stuckBecause(client, description, Date.now());
    if (stuck?.type === 'unreplayable') return 'its history cannot be replayed';
    return stuck?.type === 'failing' ? `its tasks fail (${stuck.message})` : null;
  }
}
