/**
 * The promises (test/promises.ts), for everything that the commands of a desk left behind: the desk asks for them when
 * it is closed, so that no test can forget them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HundredfoldError } from '../../src/domain/errors.ts';
import type { JournalEntry } from '../../src/local-services/journal.ts';
import { CAMPAIGN_SUMMARY, PREPARED_CAMPAIGN } from '../../src/store/layout.ts';
import * as promises from '../promises.ts';

export interface Left {
  readonly folder: string;
  /** Ids of the rows of manifests, by the name of the campaign. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  /** Trees that the test has changed itself. */
  readonly damaged: ReadonlySet<string>;
  readonly journals: readonly (readonly JournalEntry[])[];
  readonly limits: promises.Limits;
  /** The test itself wants another job of a molecule. */
  readonly resends: boolean;
  readonly secrets: ReadonlySet<string>;
  /** All output of the commands. */
  readonly texts: Readonly<Record<string, string>>;
}

export async function expectPromises(left: Left): Promise<void> {
  for (const journal of left.journals) {
    // The names of molecules are those of their users, also in another job.
    const named = journal.filter(({ service }) => !left.resends || service === 'predictions');
    promises.atMostOneJob(named, Infinity);
    promises.neverRefusedForRate(journal);
    promises.neverOverBudget(journal, left.limits);
  }
  for (const tree of treesBelow(left.folder)) {
    if (left.damaged.has(tree)) continue;
    await expectTree(tree, left.rows.get(basename(tree)));
    for (const secret of left.secrets) await promises.noSecret(secret, tree, left.texts);
  }
}

/** Campaigns that were published. */
function treesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name) === CAMPAIGN_SUMMARY)
    .map((name) => join(folder, dirname(name)))
    .filter((tree) => existsSync(join(tree, PREPARED_CAMPAIGN)));
}

async function expectTree(tree: string, ids: readonly string[] | undefined): Promise<void> {
  try {
    await promises.treeIsWhole(tree);
  } catch (error) {
    // It was left while it ran: only what has ended can be whole.
    if (error instanceof HundredfoldError && error.code === 'CAMPAIGN_NOT_ENDED') return;
    throw error;
  }
  const table = await promises.itemsTable(tree);
  await promises.noItemLost(tree, ids ?? table.map(({ id = '' }) => id));
}
