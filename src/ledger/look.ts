/** Reads the ledger of this machine, for commands that show it: no file is created if nothing has been sent yet. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { statePath } from '../state/state-folder.ts';
import { Ledger, LEDGER_FILE } from './ledger.ts';

/** null if there is no ledger. @throws HundredfoldError `LEDGER_UNUSABLE` */
export function lookIntoLedger<T>(
  environment: NodeJS.ProcessEnv,
  look: (ledger: Ledger) => T,
): T | null {
  const folder = statePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder, owner: 'a look' });
  try {
    return look(ledger);
  } finally {
    ledger.stop();
  }
}
