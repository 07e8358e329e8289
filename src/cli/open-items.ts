/** The items of a campaign whose workflows run: as many as are open at once, however many rows it has. */
import type { Client } from '@temporalio/client';
import { OPEN_STATES } from '../domain/states.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { OpenItem } from './item-lines.ts';

/** By id. */
export async function openItems(
  client: Client,
  campaign: string,
): Promise<ReadonlyMap<string, OpenItem>> {
  const query = `WorkflowType="item" AND ExecutionStatus="Running" AND ${ATTRIBUTES.campaign.name}="${campaign}"`;
  const items = new Map<string, OpenItem>();
  for await (const { startTime, typedSearchAttributes: found } of client.workflow.list({ query })) {
    const id = found.get(ATTRIBUTES.item);
    if (id === undefined) continue;
    // In the moment between its end and its close it says how it ended: the tree does so, too.
    const state = OPEN_STATES.find((one) => one === found.get(ATTRIBUTES.state)) ?? 'fetching';
    const remoteId = found.get(ATTRIBUTES.remoteId) ?? null;
    items.set(id, { state, remoteId, startedAt: startTime.toISOString() });
  }
  return items;
}
