/** The output tree of a campaign, by its name. */
import { EXIT } from '../../domain/errors.ts';
import { campaignAddress } from '../../store/layout.ts';
import { findCampaign, requireTree, treeIfAny, type CampaignTree } from '../../runner/find.ts';
import { commandSettings } from './command-settings.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { withSession } from './with-session.ts';

export interface TreeFlags extends CommonFlags {
  readonly out?: string;
}

/**
 * Looks in the default folder; queries Temporal only if the tree is not there.
 *
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function findTree(name: string, flags: TreeFlags): Promise<CampaignTree> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  const expected = campaignAddress(flags.out ?? settings.storeUrl, name);
  const tree = await treeIfAny(expected, name);
  if (tree !== null) return tree;
  if (flags.out !== undefined) return requireTree(expected, name, false);
  const found: string[] = [];
  await withSession(flags, 'look', async ({ client }) => {
    found.push((await findCampaign(client, name)).out);
    return EXIT.ok;
  });
  return requireTree(found[0] ?? expected, name, true);
}
