/** Verification for commands: a large tree in several threads. */
import { openStore } from '../../store/open-store.ts';
import type { PreparedCampaign } from '../../store/prepared-campaign.ts';
import { openMakers } from '../threads/makers.ts';
import { WORTH_THREADS } from '../threads/worth-threads.ts';
import { verifyTree, type Verification, type VerifyOptions } from './tree.ts';

/** `verifyTree` for the tree in `folder`. */
export async function verifyFolder(
  folder: string,
  { items }: PreparedCampaign,
  options: Omit<VerifyOptions, 'maker'> = {},
): Promise<Verification> {
  const store = await openStore(folder);
  if (items < WORTH_THREADS) return verifyTree(store, options);
  const maker = openMakers(folder);
  try {
    return await verifyTree(store, { ...options, maker });
  } finally {
    await maker.close();
  }
}
