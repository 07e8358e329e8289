/** When a campaign will end, by the budget's own arithmetic run ahead. */
import { lastSubmissionIn } from '../budget/forecast.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { CampaignProgress } from '../domain/campaign.ts';

/** What is known of a campaign and of the budgets it draws on, at one moment (ms since the epoch). */
export interface Seen {
  readonly progress: CampaignProgress;
  /** Each with the campaign's own credential only. */
  readonly budgets: readonly BudgetStatus[];
  readonly at: number;
}

/**
 * When its last item can be submitted (ms since the epoch); the end is one job later. null when no limit decides it,
 * nothing is left to submit, or it is paused.
 */
export function expectedEnd({ progress, budgets, at }: Seen): number | null {
  if (progress.state === 'paused') return null;
  const done = Object.values(progress.ended).reduce((sum, n) => sum + n, 0);
  // Which services the rows go to that were not looked at yet is not known: each is taken to get them all.
  const unopened = progress.total - done - progress.open - (progress.following ?? 0);
  const ends = budgets.flatMap((budget) =>
    budget.credentials.flatMap((window) => {
      const jobs = jobsBeforeLast(budget, window.credential, progress.campaign, unopened);
      return [window, budget.addressWindow]
        .filter(({ limit }) => limit !== null && jobs > 0)
        .map((limited) => lastSubmissionIn(limited, jobs, at));
    }),
  );
  const end = Math.max(...ends);
  return Number.isFinite(end) && end > at ? end : null;
}

/** Our own jobs, and those of other campaigns on the same credential: turns go round until ours are through. */
function jobsBeforeLast(
  { waiting }: BudgetStatus,
  credential: string,
  campaign: string,
  unopened: number,
): number {
  const lanes = waiting.filter((lane) => lane.credential === credential);
  const own = lanes.find((lane) => lane.campaign === campaign)?.items ?? 0;
  const ours = own + unopened;
  if (ours <= 0) return 0;
  return lanes
    .filter((lane) => lane.campaign !== campaign && !lane.paused)
    .reduce((sum, { items }) => sum + Math.min(items, ours), ours);
}
