/** The output tree that a retry works in. It contains everything needed; the manifest and its files may be gone. */
import { z } from 'zod';
import { codedError } from '../domain/errors.ts';
import { LOCAL_NAMES, type LocalName } from '../host/local-settings.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';
import {
  notPrepared,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';

export interface CampaignTree {
  readonly store: Store;
  readonly folder: string;
  readonly campaign: PreparedCampaign;
  /** The services it used, from its settings. */
  readonly services: Readonly<Record<string, unknown>>;
  /** The services of this project that it used; null if it used others. */
  readonly local: LocalName | null;
}

const settings = z.object({ services: z.record(z.string(), z.unknown()) });
const localService = z.object({ url: z.enum(LOCAL_NAMES) });

/** Null when the folder contains no prepared campaign of this name. Creates no folder. */
export async function treeIfAny(folder: string, name: string): Promise<CampaignTree | null> {
  const tree = await treeIn(folder);
  return tree?.campaign.name === name ? tree : null;
}

/**
 * The tree in a folder that the user names, of whatever campaign it is.
 * @throws HundredfoldError `TREE_UNKNOWN`
 */
export async function openFolder(folder: string): Promise<CampaignTree> {
  const tree = await treeIn(folder);
  if (tree !== null) return tree;
  throw codedError('TREE_UNKNOWN', { case: 'no campaign', folder });
}

async function treeIn(folder: string): Promise<CampaignTree | null> {
  const store = await openStoreIfAny(folder);
  if (store === null) return null;
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) return null;
  const read = settings.safeParse(campaign.settings);
  const services = read.success ? read.data.services : {};
  const [local = null] = Object.values(services).flatMap(
    (service) => localService.safeParse(service).data?.url ?? [],
  );
  return { store, folder, campaign, services, local };
}

/**
 * `known`: Temporal has a campaign of this name, which wrote there.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function requireTree(
  folder: string,
  name: string,
  known: boolean,
): Promise<CampaignTree> {
  const tree = await treeIfAny(folder, name);
  if (tree) return tree;
  if (known && (await openStoreIfAny(folder)) !== null) {
    throw notPrepared(await openStore(folder), `it does not contain the campaign ${name}`);
  }
  throw codedError('CAMPAIGN_UNKNOWN', { case: 'folder', name, folder });
}
