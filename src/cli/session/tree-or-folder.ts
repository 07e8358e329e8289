/** The output tree of a campaign, by its name or its folder. */
import { openFolder, treeIfAny, type CampaignTree } from '../../runner/find.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { checkedName } from '../../domain/name.ts';
import { absoluteAddress, campaignAddress } from '../../store/layout.ts';
import { commandSettings } from './command-settings.ts';
import type { CommonFlags } from '../command-line/flags.ts';

/**
 * Queries Temporal only for a name whose tree is not in the default folder.
 *
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `NAME_INVALID`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function findTreeOrFolder(
  nameOrFolder: string,
  { config, json }: CommonFlags,
): Promise<CampaignTree> {
  const flags = { ...(config !== undefined && { config }), ...(json !== undefined && { json }) };
  const { storeUrl } = commandSettings(flags, { tokens: 'optional' });
  // Campaign names contain no slash, and do not consist of dots.
  if (isObjectAddress(nameOrFolder) || /[/\\]|^\.\.?$/.test(nameOrFolder)) {
    return openFolder(absoluteAddress(nameOrFolder));
  }
  const name = checkedName(nameOrFolder);
  const tree = await treeIfAny(campaignAddress(storeUrl, name), name);
  if (tree !== null) return tree;
  // Temporal's packages take a second to load.
  const { findTree } = await import('./find-tree.ts');
  return findTree(name, flags);
}
