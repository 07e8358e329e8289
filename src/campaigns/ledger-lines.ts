/** What the ledger of this machine adds to the budgets of one Temporal, for `status` and `doctor`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatNonZeroDuration } from '../domain/duration.ts';
import type { Account, Charge, SeenRejection } from '../ledger/charge.ts';
import type { Environment } from '../domain/environment.ts';
import { statePath } from '../state/state-folder.ts';
import { Ledger, LEDGER_FILE } from '../ledger/ledger.ts';

interface LedgerView {
  readonly path: string;
  readonly accounts: readonly (Account & { readonly charges: readonly Charge[] })[];
  /** 429 responses that the use from this machine does not explain. */
  readonly rejections: readonly SeenRejection[];
  /** ms since a damaged ledger was replaced by a new one. */
  readonly begunAgain: number | null;
}

/** null if nothing was sent from this machine yet. Creates no file. Throws LEDGER_UNUSABLE. */
export function viewLedger(environment: Environment): LedgerView | null {
  return lookIntoLedger(environment, (ledger) => ({
    path: ledger.path,
    accounts: ledger
      .accounts()
      .map((account) => ({ ...account, charges: ledger.charges(account) })),
    rejections: ledger.rejections(),
    begunAgain: ledger.begunAgain(),
  }));
}

/** `predictions (host), credential c0ffee00: 12 in the last hour, 3 of them jobs of others` */
export function accountLines({ accounts }: LedgerView): string[] {
  return accounts
    .filter(({ charges }) => charges.length > 0)
    .map(({ service, address, credential, charges }) => {
      const foreign = charges.filter(({ origin }) => origin === 'service').length;
      const others = foreign > 0 ? `, ${foreign} of them by other users of the token` : '';
      return `${service} (${address}), credential ${credential}: ${charges.length} ${charges.length === 1 ? 'submission' : 'submissions'} in the last hour${others}`;
    });
}

/** One sentence per account, about its last unexplained 429. */
export function rejectionLines({ rejections }: LedgerView): string[] {
  const newest = new Map(
    [...rejections]
      .reverse()
      .map((one) => [`${one.service} ${one.address} ${one.credential}`, one]),
  );
  return [...newest.values()].map(
    ({ service, address, credential, type, ageMs, charged, limit, serviceLimit }) => {
      const ago = formatNonZeroDuration(ageMs);
      const where = `${service} (${address}), credential ${credential}: a 429 ${ago} ago`;
      return type === 'lower-limit'
        ? `${where}: the service allows ${String(serviceLimit)} jobs, the configuration says ${String(limit)}`
        : `${where} with ${charged} of ${String(limit)} used from this machine: someone else uses this token`;
    },
  );
}

/** null if there is no ledger. @throws HundredfoldError `LEDGER_UNUSABLE` */
function lookIntoLedger<T>(environment: NodeJS.ProcessEnv, look: (ledger: Ledger) => T): T | null {
  const folder = statePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder, owner: 'a look' });
  try {
    return look(ledger);
  } finally {
    ledger.stop();
  }
}
