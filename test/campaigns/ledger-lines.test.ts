/** How the ledger is shown to users. */
import { expect, test } from 'vitest';
import { accountLines, rejectionLines, viewLedger } from '../../src/campaigns/ledger-lines.ts';
import { ACCOUNT, ledgerIn, submission } from '../ledger/a-ledger.ts';
import { systemClock } from '../../src/ledger/steady-clock.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('shows submissions by account, and a 429 caused by another client; reading creates no file', async () => {
  const folder = await temporaryFolder();
  const environment = { HUNDREDFOLD_STATE_DIR: folder };
  expect(viewLedger(environment)).toBeNull();
  const ledger = ledgerIn(folder, systemClock());
  ledger.reserve(submission('a', 5));
  ledger.close('a', 'charged');
  ledger.reserve(submission('b', 5));
  const { limit } = submission('b', 5);
  ledger.reject('b', { account: ACCOUNT, limit, retryAfterMs: null, serviceLimit: null });
  ledger.stop();
  const view = viewLedger(environment);
  if (!view) throw new Error('no ledger was found');
  expect(accountLines(view)).toEqual([
    'predictions (host/predictions), credential c0ffee00: 1 submission in the last hour',
  ]);
  expect(rejectionLines(view)).toEqual([
    expect.stringMatching(/a 429 \d+ s ago with 1 of 5 used .*: someone else uses this token$/),
  ]);
});
