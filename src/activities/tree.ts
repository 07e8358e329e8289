/** The output tree of a campaign, for an activity that writes to it or submits from it. */
import type { Store } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';
import type { TreeAddress } from './tree-leases.ts';

/**
 * Opens the tree of a campaign, never creates its folder. Both errors are retryable: another worker may have the tree,
 * and the other Temporal may release it. Nothing was changed when they are thrown.
 * @throws StoreError `TREE_NOT_HERE`: there is no such folder here, or it is another tree; `TREE_LEASED`: another
 * Temporal works on it; `TREE_OTHER_PLUGIN`
 */
export async function openHeldTree(
  { openStore, leases }: Pick<Dependencies, 'openStore' | 'leases'>,
  address: TreeAddress,
): Promise<Store> {
  const store = await openStore(address.store, { create: false });
  await leases.check(store, address);
  return store;
}
