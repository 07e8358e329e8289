/**
 * What a budget takes over from the run before it, by the memo of that run. The memo is written in the workflow task that
 * grants, so what is closed and what is outstanding there are at least what may count (docs/architecture.md).
 */
import { LATEST_ACCEPTANCE_MS } from '../domain/longest-post.ts';
import { newBlock, type Block } from './block.ts';
import { pauseCampaign } from './lanes.ts';
import type { Charges } from './charges.ts';
import type { Close } from './policy.ts';
import { credentialOf, forgetBefore, setPolicy, type Budget } from './state.ts';
import type { BudgetSnapshot } from './status.ts';
import { closesOf } from './use.ts';

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
 * counts from then. `former` null: what was charged is unknown, and every window counts as full once.
 *
 * @param now when both runs have certainly ended to begin submissions (ms)
 */
export function inherit(state: Budget, former: BudgetSnapshot | null, now: number): void {
  const latest = now + LATEST_ACCEPTANCE_MS;
  if (former === null) {
    forgetBefore(state, latest);
    return;
  }
  const { outstanding, addressBlock, credentials, paused } = former;
  if (former.unknownBefore !== undefined) forgetBefore(state, former.unknownBefore);
  for (const written of credentials) {
    const { credential, submitQueue } = written;
    const isNew = !(credential in state.credentials);
    const own = credentialOf(state, credential);
    if (isNew) setPolicy(own, written.policy);
    if (isNew && submitQueue !== undefined) own.submitQueue = submitQueue;
    const open = outstanding.filter((grant) => grant.credential === credential);
    takeCharges(
      own.charges,
      written,
      open.map(({ campaign }) => campaign),
      latest,
    );
    for (const { campaign, closes: _, ...standing } of written.users)
      if (campaign !== null) own.users[campaign] ??= standing;
    takeBlock(own.block, written, former.at);
  }
  takeBlock(state.addressBlock, addressBlock, former.at);
  for (const campaign of paused) pauseCampaign(state.queue, campaign, true);
}

function takeCharges(
  charges: Charges,
  { users, unknownBefore }: BudgetSnapshot['credentials'][number],
  outstanding: readonly string[],
  latest: number,
): void {
  const open = outstanding.map((campaign): Close => [latest, 1, campaign]);
  charges.closes = [...closesOf(users), ...open].sort(([a], [b]) => a - b);
  if (unknownBefore !== undefined)
    charges.unknownBefore = Math.max(unknownBefore, charges.unknownBefore ?? unknownBefore);
}

/** What the service ordered holds for the next run. */
function takeBlock(block: Block, { blocked: { until, reason } }: Written, since: number): void {
  if (until > block.until)
    Object.assign(block, { ...newBlock(), until, reason, since, refusals: 1, probing: true });
}
