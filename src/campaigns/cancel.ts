/** How a campaign ends that is cancelled: by its workflow, or at once if its workflow cannot end it. */
import type { Session } from '../host/session.ts';
import { codedError } from '../domain/errors.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { cancelCampaign } from './control.ts';
import { answered } from './in-session.ts';
import type { OnNotice } from './notice.ts';
import { endObsolete } from './obsolete.ts';
import type { Observed } from './observe.ts';
import { isTreeHere, treeObstacleOf } from './tree-obstacle.ts';
import type { Client } from '@temporalio/client';
import { stuckBecause } from '../watchdog/stuck.ts';
import { settled } from './progress.ts';

/** A campaign whose workflow cannot continue: it processes no message, and would never end. */
const NOT_REPLAYABLE = 'its history cannot be replayed';

/** Why, as the end of a sentence; null if its tasks are done or still may be. Takes seconds only if they are not. */
export async function whyTasksFail(client: Client, name: string): Promise<string | null> {
  const found = await settled(client, campaignWorkflowId(name));
  const stuck = await stuckBecause(client, found, Date.now());
  if (stuck?.type === 'unreplayable') return NOT_REPLAYABLE;
  return stuck?.type === 'failing' ? `its tasks fail (${stuck.message})` : null;
}

/**
 * `cancelled`: it ends by itself, once it has its tree if there is an `obstacle`. The others were ended at once:
 * `without tree`, because the ends of its items cannot be written; `failing`, because its workflow does no task.
 */
type Cancelled =
  | { readonly end: 'cancelled'; readonly obstacle: string | null }
  | { readonly end: 'without tree' | 'failing' };

/** Of an open campaign. What it did at once is reported as a notice. */
export async function endCampaign(
  session: Session,
  followed: Observed,
  onNotice: OnNotice,
): Promise<Cancelled> {
  const { client, role } = session;
  const { name } = followed;
  const obstacle = await answered(obstacleNow(session, followed));
  // Only the user knows whether a worker of a remote Temporal has the tree that this machine does not have.
  if (obstacle !== null && role !== 'remote') {
    // Once cancelled, it would wait forever: it cannot write the ends of its items.
    onNotice(obstacle);
    await answered(endObsolete(session, name, onNotice));
    return { end: 'without tree' };
  }
  await answered(cancelCampaign(client, name));
  const failing = role === 'remote' ? null : await answered(whyTasksFail(client, name));
  if (failing === null) return { end: 'cancelled', obstacle };
  await answered(endObsolete(session, name, onNotice, failing));
  return { end: 'failing' };
}

/** For a cancelled campaign whose history has since proved impossible to replay. */
export async function endFailing(
  session: Session,
  { name }: Observed,
  onNotice: OnNotice,
): Promise<void> {
  await endObsolete(session, name, onNotice, NOT_REPLAYABLE);
}

async function obstacleNow(session: Session, { name, folder }: Observed): Promise<string | null> {
  const handle = session.client.workflow.getHandle(campaignWorkflowId(name));
  return treeObstacleOf({ session, name, folder }, await handle.describe());
}

/**
 * Ends a campaign whose tree is permanently lost; nothing is written.
 * @throws HundredfoldError `TREE_IS_HERE`: an ordinary `cancel` leaves complete tables
 */
export async function abandonCampaign(
  session: Session,
  { name, folder }: Observed,
  onNotice: OnNotice,
): Promise<void> {
  const { memo } = await session.client.workflow.getHandle(campaignWorkflowId(name)).describe();
  if (await isTreeHere(folder, memo?.['tree'])) throw codedError('TREE_IS_HERE', { folder, name });
  await endObsolete(session, name, onNotice);
}
