/**
 * What a budget takes over from the run before it, by the memo of that run. The memo is written in the workflow task that
 * grants, so what is closed and what is outstanding there are at least what may count (docs/promises.md).
 */
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { createBlock, type Block } from './block.ts';
import { pauseCampaign } from './queue.ts';
import type { Close } from './policy.ts';
import { forgetBefore, setPolicy, type Budget } from './state.ts';
import type { BudgetSnapshot } from './status.ts';

/** The run before a budget. */
export interface FormerBudget {
  readonly run: string;
  /** Why it ended, for people: a sentence without its full stop. */
  readonly reason: string;
  /** Its memo; null if it cannot be read. */
  readonly written: BudgetSnapshot | null;
}

/**
 * The charges of `former` replace those of `state`. A submission that was outstanding there may end this late, so it
 * counts from then. `former` null: what was charged is unknown, and every window counts as full once.
 *
 * @param now when both runs have certainly ended to begin submissions (ms)
 */
export function inherit(state: Budget, former: BudgetSnapshot | null, now: number): void {
  // Its limits are those that a worker has told it, if one has.
  const isConfigured = state.charges.changed > 0;
  const latest = now + LATEST_ACCEPTANCE_MS;
  if (former === null) {
    forgetBefore(state, latest);
    return;
  }
  const { policy, submitQueue, closes, unknownBefore, outstanding, paused } = former;
  if (!isConfigured) setPolicy(state, policy);
  if (!isConfigured && submitQueue !== undefined) state.submitQueue = submitQueue;
  const open = outstanding.map(({ campaign }): Close => [latest, 1, campaign]);
  state.charges.closes = [...closes, ...open].sort(([a], [b]) => a - b);
  if (unknownBefore !== undefined) forgetBefore(state, unknownBefore);
  takeBlock(state.block, former);
  for (const campaign of paused) pauseCampaign(state.queue, campaign, true);
}

/** What the service ordered holds for the next run. */
function takeBlock(block: Block, { blocked }: BudgetSnapshot): void {
  const { until, reason } = blocked;
  if (until <= block.until) return;
  Object.assign(block, {
    ...createBlock(),
    until,
    ordered: until,
    reason,
    refusals: 1,
    probing: true,
  });
}
