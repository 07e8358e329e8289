/** The items of a campaign from Temporal: the location of its tree, and the state of the items with open workflows. */
import type { Client } from '@temporalio/client';
import { OPEN_STATES } from '../../domain/states.ts';
import { ATTRIBUTES, runningWorkflows } from '../../workflows/search-attributes.ts';
import { findCampaign } from '../../campaigns/find.ts';
import { readHindrances } from '../../campaigns/hindrances.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import type { OpenItem } from '../../campaigns/item-lines.ts';
import { requireTree, type CampaignTree } from '../../campaigns/campaign-tree.ts';
import { withSession } from './with-session.ts';

type OpenItems = ReadonlyMap<string, OpenItem>;

/**
 * `folder`: the folder of the tree, if the user gave one; otherwise Temporal's.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 */
export async function withOpenItems(
  name: string,
  folder: string | null,
  flags: CommonFlags,
  use: (tree: CampaignTree, open: OpenItems) => Promise<number>,
): Promise<number> {
  return withSession(flags, 'look', async ({ client }) => {
    const { open, out } = await findCampaign(client, name);
    const tree = await requireTree(folder ?? out, name, true);
    return use(tree, open ? await openItems(client, name) : new Map<string, OpenItem>());
  });
}

/** By id. Only open items: their number is limited, whatever the number of rows. */
async function openItems(client: Client, campaign: string): Promise<OpenItems> {
  const query = runningWorkflows(['item'], { campaign });
  const hindrances = await readHindrances(client, campaign, Number.POSITIVE_INFINITY);
  const items = new Map<string, OpenItem>();
  for await (const { startTime, typedSearchAttributes: found } of client.workflow.list({ query })) {
    const id = found.get(ATTRIBUTES.item);
    if (id === undefined) continue;
    // Between its end and the close of its workflow, an item has a final state; the tree has it too.
    const state = OPEN_STATES.find((one) => one === found.get(ATTRIBUTES.state)) ?? 'running';
    const remoteId = found.get(ATTRIBUTES.remoteId) ?? null;
    const message = hindrances.get(id) ?? null;
    items.set(id, { state, remoteId, message, startedAt: startTime.toISOString() });
  }
  return items;
}
