/** Adds the jobs recorded in an output tree to the ledger of this machine, before its campaign is started. */
import { longestMs } from '../budget/policy.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import type { ServiceSettings } from '../config/services.ts';
import { Ledger } from '../ledger/ledger.ts';
import { warn } from '../state/warn.ts';
import { chargesInTree, credentialOfTree } from '../store/jobs-in-tree.ts';
import type { Store } from '../store/store.ts';
import { localNameOf } from './local-settings.ts';
import { stateFolderOf } from '../state/state-folder.ts';

interface Seeding {
  readonly settings: Pick<Settings, 'embeddedDir'>;
  readonly environment: Environment;
  /** The services that the campaign uses. */
  readonly feeds: readonly ServiceSettings[];
}

/**
 * Charges the jobs of the tree that may still count: they are missing in a budget whose database was lost. Each is
 * charged once, even if this is called repeatedly. Returns the number of new ones. Local services are skipped: their
 * own counts are lost with the same folder. Throws LEDGER_UNUSABLE, STATE_FOLDER_UNUSABLE and StoreErrors.
 */
export async function seedLedger(store: Store, seeding: Seeding): Promise<number> {
  const feeds = seeding.feeds.filter(({ reference }) => localNameOf(reference.address) === null);
  let noted = 0;
  for (const { reference, policy, ledgerAddress } of feeds) {
    const windowMs = longestMs(policy.windows);
    const jobs = await chargesInTree(store, reference.address, windowMs);
    if (jobs.length === 0) continue;
    const credential = (await credentialOfTree(store, reference.service)) ?? reference.credential;
    const ledger = new Ledger({ folder: stateFolderOf(seeding), warn });
    try {
      const account = { ...reference, credential, address: ledgerAddress };
      noted += ledger.note(account, jobs, windowMs);
    } finally {
      ledger.stop();
    }
  }
  return noted;
}
