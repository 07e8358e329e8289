/** What `doctor` reports about the ledger of this machine. */
import { accountLines, rejectionLines, viewLedger } from '../campaigns/ledger-lines.ts';
import type { Environment } from '../domain/environment.ts';
import { problem, type Finding } from './finding.ts';

export function ledgerFinding(environment: Environment): Finding {
  const check = 'ledger of submissions';
  try {
    const view = viewLedger(environment);
    if (!view) return { check, ok: true, found: 'nothing was sent from this machine yet' };
    const [worst] = rejectionLines(view);
    const remedy = 'Give each user their own token, or set the budget to your share of it.';
    if (worst !== undefined) return { check, ok: false, found: worst, remedy };
    if (view.begunAgain !== null) {
      const found = `${view.path} was damaged and recreated: earlier submissions are not known`;
      const wait =
        'Nothing is sent until one window has passed. If nothing was sent before, remove the file.';
      return { check, ok: false, found, remedy: wait };
    }
    return { check, ok: true, found: [view.path, ...accountLines(view)].join('; ') };
  } catch (error) {
    return problem(check, error);
  }
}
