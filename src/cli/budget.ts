/** `hundredfold budget`: per service and credential: charged, free, when the next slots free up. */
import type { BudgetStatus, WindowStatus } from '../budget/status.ts';
import { EXIT } from '../domain/errors.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './flags.ts';
import { observeBudgets } from './observe.ts';
import { budgetText, clockText } from './progress-text.ts';
import { withSession } from './with-session.ts';

export async function budget(flags: CommonFlags): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    const budgets = await observeBudgets(session);
    if (flags.json) process.stdout.write(`${JSON.stringify(budgets)}\n`);
    else if (budgets.length === 0)
      say('No budget is kept here yet: it begins with the first campaign.');
    else for (const one of budgets) print(one);
    return EXIT.ok;
  });
}

function print(status: BudgetStatus): void {
  const { address, now, credentials, waiting, counts } = status;
  say(`${budgetText(status, now)}  (${address})`);
  for (const { credential, releases, ...window } of credentials) {
    say(`  credential ${credential}: ${freeText(window)}${nextText(releases, now)}`);
  }
  for (const { campaign, items, paused } of waiting) {
    say(`  ${items} items of ${campaign} wait${paused ? ' (paused)' : ''}`);
  }
  say(
    `  ${counts.accepted} accepted, ${counts.refused} refused, ${counts.rejected429} answered with 429`,
  );
}

function freeText({ free, limit }: Pick<WindowStatus, 'free' | 'limit'>): string {
  return limit === null ? 'no limit' : `${free ?? 0} of ${limit} free`;
}

function nextText(releases: readonly number[], now: number): string {
  const [next] = releases;
  return next === undefined ? '' : `; the next slot frees up ${clockText(next, now)}`;
}
