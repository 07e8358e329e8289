/** A campaign whose workflow cannot continue: it processes no message, and would never end. */
import type { Client } from '@temporalio/client';
import { stuckBecause } from '../watchdog/stuck.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { settled } from './progress.ts';

export const NOT_REPLAYABLE = 'its history cannot be replayed';

/** Why, as the end of a sentence; null if its tasks are done or still may be. Takes seconds only if they are not. */
export async function whyTasksFail(client: Client, name: string): Promise<string | null> {
  const found = await settled(client, campaignWorkflowId(name));
  const stuck = await stuckBecause(client, found, Date.now());
  if (stuck?.type === 'unreplayable') return NOT_REPLAYABLE;
  return stuck?.type === 'failing' ? `its tasks fail (${stuck.message})` : null;
}
