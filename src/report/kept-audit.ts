/**
 * The pages of items that the audit of a publication found correct, kept in the tree until the publication has ended.
 * After an interruption, only the files of the unfinished pages are read again.
 *
 * A page is identified by the digest of its records, which contain the digests of all their files. Only pages without
 * faults are kept: damaged or missing files are always checked again, because they may have been repaired.
 */
import { createHash } from 'node:crypto';
import { PUBLISHING } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { CampaignItem } from './campaign-items.ts';

/** Increase it when the meaning of the kept data changes. */
const FORM = 1;

/** How long (ms) the files of a page count as unchanged: a publication that continues days later reads them again. */
const HOLDS_MS = 24 * 3_600_000;

export interface AuditKeeper {
  /** All files of these items were correct a short time ago. */
  has(page: readonly CampaignItem[]): Promise<boolean>;
  /** All files of these items are correct. A full disk must not prevent the end of a publication. */
  keep(page: readonly CampaignItem[]): Promise<void>;
}

/** @param now ms, of a clock that is the same in the next attempt */
export function auditKeeper(store: Store, now: () => number = Date.now): AuditKeeper {
  return {
    async has(page) {
      const at = Number((await store.readText(keyOfPage(page))) ?? Number.NaN);
      const age = now() - at;
      return age >= 0 && age < HOLDS_MS;
    },
    async keep(page) {
      try {
        await store.write(keyOfPage(page), String(now()));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    },
  };
}

function keyOfPage(page: readonly CampaignItem[]): string {
  const hash = createHash('sha256').update(`audit ${FORM}\n`);
  for (const item of page) hash.update(`${JSON.stringify(item)}\n`);
  return `${PUBLISHING}audit-${hash.digest('hex')}`;
}
