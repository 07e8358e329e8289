/**
 * What a budget takes over from the run before it, by the memo of that run. The memo is written in the workflow task that
 * grants, so what is closed and what is outstanding there are at least what may count (docs/architecture.md).
 */
import { LATEST_ACCEPTANCE_MS } from '../domain/longest-post.ts';
import { newBlock, type Block } from './block.ts';
import { pauseCampaign } from './lanes.ts';
import { credentialOf, type Budget } from './state.ts';
import type { BudgetSnapshot } from './status.ts';
import { setLimit, type Window } from './window.ts';

type Written = BudgetSnapshot['addressBlock'];

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
 * counts from then. `former` null: what was charged is unknown, and every window counts as full for its length.
 *
 * @param now when both runs have certainly ended to begin submissions (ms)
 */
export function inherit(state: Budget, former: BudgetSnapshot | null, now: number): void {
  const latest = now + LATEST_ACCEPTANCE_MS;
  if (former === null) {
    state.fullSince = latest;
    return;
  }
  const { outstanding, addressBlock, credentials, paused } = former;
  if (former.fullSince !== undefined)
    state.fullSince = Math.max(state.fullSince ?? 0, former.fullSince);
  for (const { credential, submitQueue, ...written } of credentials) {
    const isNew = !(credential in state.credentials);
    const own = credentialOf(state, credential);
    if (isNew) setLimit(own.window, written);
    if (isNew && submitQueue !== undefined) own.submitQueue = submitQueue;
    const open = outstanding.filter((grant) => grant.credential === credential);
    takeCharges(own.window, written.closes, open.length, latest);
    takeBlock(own.block, written, former.at);
  }
  takeBlock(state.addressBlock, addressBlock, former.at);
  for (const campaign of paused) pauseCampaign(state.queue, campaign, true);
}

function takeCharges(
  window: Window,
  closes: readonly number[],
  outstanding: number,
  latest: number,
): void {
  const open = Array<number>(outstanding).fill(latest);
  window.closes = [...closes, ...open].sort((a, b) => a - b);
}

/** What the service ordered holds for the next run. */
function takeBlock(block: Block, { blocked: { until, reason } }: Written, since: number): void {
  if (until > block.until)
    Object.assign(block, { ...newBlock(), until, reason, since, refusals: 1, probing: true });
}
