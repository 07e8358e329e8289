/** What the ledger of this machine adds to the budgets of one Temporal, for `status` and `doctor`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../domain/environment.ts';
import { Ledger, LEDGER_FILE } from '../ledger/ledger.ts';
import { statePath } from '../state/state-folder.ts';

interface LedgerView {
  readonly path: string;
  readonly accounts: ReturnType<Ledger['list']>;
  /** ms since a damaged ledger was replaced by a new one. */
  readonly begunAgain: number | null;
}

/** null if nothing was sent from this machine yet. Creates no file. Throws LEDGER_UNUSABLE. */
export function viewLedger(environment: Environment): LedgerView | null {
  const folder = statePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder });
  try {
    return { path: ledger.path, accounts: ledger.list(), begunAgain: ledger.begunAgain() };
  } finally {
    ledger.stop();
  }
}

/** `predictions (host), credential c0ffee00: 12 submissions in the last hour` */
export function accountLines({ accounts }: LedgerView): string[] {
  return accounts
    .filter(({ charges }) => charges.length > 0)
    .map(({ service, address, credential, charges: { length } }) => {
      const jobs = `${length} ${length === 1 ? 'submission' : 'submissions'}`;
      return `${service} (${address}), credential ${credential}: ${jobs} in the last hour`;
    });
}
