/** Whether the campaign's output tree is here and belongs to it; otherwise its items are blocked. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Session } from '../host/session.ts';
import { openStore } from '../store/open-store.ts';
import { checkTreeId, isOf, newestLease, treeLeased } from '../store/lease.ts';
import { StoreError } from '../store/store-error.ts';
import { identify } from '../temporal/tree-holder.ts';
import { obstacleOf } from './obstacle.ts';
import { runningWorkflows } from '../workflows/search-attributes.ts';

interface Looked {
  readonly session: Pick<Session, 'client' | 'role'>;
  readonly name: string;
  readonly folder: string;
}

/** Open items whose reason for waiting is read; most of them have the same. */
const ASKED = 3;

/** A sentence with what to do; null if no obstacle is known. */
export async function treeObstacleOf(
  { session, name, folder }: Looked,
  { memo }: Pick<WorkflowExecutionDescription, 'memo'>,
): Promise<string | null> {
  const tree = memo?.['tree'];
  if (typeof tree !== 'string') return null;
  const { client, role } = session;
  // The workers of a Temporal elsewhere may have the tree where we do not.
  if (role === 'remote') return itemsObstacle({ client, name, folder });
  try {
    const store = await openStore(folder, { create: false });
    const lease = await newestLease(store);
    const { id } = await identify(client);
    if (lease && !lease.released && !isOf(lease, { temporal: id }))
      throw treeLeased(store, lease.record);
    await checkTreeId(store, tree);
    return null;
  } catch (error) {
    if (error instanceof StoreError) return `${error.message} ${error.remedy}`;
    throw error;
  }
}

/** Whether the folder can be reached from here and is the tree that the campaign was started for. */
export async function isTreeHere(folder: string, tree: unknown): Promise<boolean> {
  try {
    const store = await openStore(folder, { create: false });
    if (typeof tree === 'string') await checkTreeId(store, tree);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'TREE_NOT_HERE') return false;
    throw error;
  }
}

async function itemsObstacle({
  client,
  name,
  folder,
}: Pick<Looked, 'name' | 'folder'> & Pick<Session, 'client'>): Promise<string | null> {
  const query = runningWorkflows(['item'], { campaign: name });
  let asked = 0;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const found = await obstacleOf(folder, await client.workflow.getHandle(workflowId).describe());
    asked += 1;
    if (found !== null || asked === ASKED) return found;
  }
  return null;
}
