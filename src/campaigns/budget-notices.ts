/** Notices about a budget, beside its numbers. Pure. */
import type { BudgetStatus } from '../budget/status.ts';

interface BudgetNotice {
  /** The same notice has the same key: it is shown once. */
  readonly key: string;
  readonly words: string;
}

export function noticesOf({
  service,
  credentials,
  waiting,
  rebuilt,
}: BudgetStatus): BudgetNotice[] {
  const notices: BudgetNotice[] = [];
  if (rebuilt)
    notices.push({
      key: `rebuilt ${service} ${rebuilt.at}`,
      words: `The budget of ${service} was restarted (${rebuilt.reason}). Every job that may still count is counted.`,
    });
  for (const { credential, strangers } of credentials) {
    if (!strangers) continue;
    const times = strangers.count === 1 ? 'once' : `${strangers.count} times`;
    notices.push({
      key: `strangers ${service} ${credential}`,
      words:
        `${service} answered 429 ${times} although hundredfold was below the limit: someone else uses this token ` +
        `(${credential}), or the service allows less than budget.limit says.`,
    });
  }
  for (const { campaign, heldBecause } of waiting) {
    if (heldBecause !== undefined)
      notices.push({
        key: `held ${service} ${campaign} ${heldBecause}`,
        words: `${campaign} waits: ${heldBecause}`,
      });
  }
  return notices;
}
