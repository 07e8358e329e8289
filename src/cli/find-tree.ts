/** The output tree of a campaign, by its name. */
import { EXIT } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { checkedName } from '../manifest/name.ts';
import { absoluteAddress, campaignAddress } from '../store/address.ts';
import { findCampaign } from '../campaigns/find.ts';
import { commandSettings } from './command-settings.ts';
import type { CommonFlags } from './flags.ts';
import { openFolder, openTree, treeIfAny, type CampaignTree } from '../campaigns/campaign-tree.ts';
import { withSession } from './with-session.ts';

export interface TreeFlags extends CommonFlags {
  readonly out?: string;
}

/**
 * Where it usually lies; Temporal is asked only when it is not there.
 *
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function findTree(name: string, flags: TreeFlags): Promise<CampaignTree> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  const expected = campaignAddress(flags.out ?? settings.storeUrl, name);
  const tree = await treeIfAny(expected, name);
  if (tree !== null) return tree;
  if (flags.out !== undefined) return openTree(expected, name, false);
  const found: string[] = [];
  await withSession(flags, 'look', async ({ client }) => {
    found.push((await findCampaign(client, name)).out);
    return EXIT.ok;
  });
  return openTree(found[0] ?? expected, name, true);
}

/**
 * The same, where the user may also type the folder of the tree, or its s3:// address. `--out` is not looked at.
 *
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `NAME_INVALID`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function findTreeOrFolder(
  nameOrFolder: string,
  { config, json }: CommonFlags,
): Promise<CampaignTree> {
  const flags = { ...(config !== undefined && { config }), ...(json !== undefined && { json }) };
  // No name of a campaign has a slash or a dot in front.
  if (!isObjectAddress(nameOrFolder) && !/[/\\]|^\.\.?$/.test(nameOrFolder)) {
    return findTree(checkedName(nameOrFolder), flags);
  }
  commandSettings(flags, { tokens: 'optional' });
  return openFolder(absoluteAddress(nameOrFolder));
}
