/**
 * What the audit of a publication has found whole, kept in the tree until the publication has ended. A publication that
 * was broken off does not read all files again: only those of the pages that it had not finished.
 *
 * A page is known by the digest of its records, which contain the digests of all their files. Only pages without faults
 * are kept: what was damaged or missing is always looked at again, because somebody may have repaired it.
 */
import { createHash } from 'node:crypto';
import { PUBLISHING } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { CampaignItem } from './campaign-items.ts';

/** Another number for another meaning of what is kept. */
const FORM = 1;

/** Until then (ms) the files of a page count as unchanged: a publication that goes on days later reads them again. */
const HOLDS_MS = 24 * 3_600_000;

export interface AuditKeeper {
  /** All files of these items were whole a short time ago. */
  has(page: readonly CampaignItem[]): Promise<boolean>;
  /** All files of these items are whole. A full disk must not keep a publication from ending. */
  keep(page: readonly CampaignItem[]): Promise<void>;
}

/** @param now ms, of the clock that is the same in the next try */
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
