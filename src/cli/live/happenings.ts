/** What changed between two observations of a campaign. Pure. */
import type { BudgetStatus } from '../../budget/status.ts';
import { isSameReference } from '../../domain/campaign.ts';
import type { CampaignState } from '../../domain/states.ts';
import type { CampaignObservation } from '../../runner/observe.ts';
import { clockText } from '../../domain/clock-text.ts';
import { TONE_OF_STATE, type Tone } from '../text/line.ts';

export interface Happening {
  readonly at: number;
  /** Its subject: an item's id, a service, the campaign. */
  readonly subject: string;
  readonly words: string;
  readonly tone: Tone;
  /** Number of jobs that the service accepted. */
  readonly accepted?: number;
}

const KEPT = 40;
/** Jobs accepted within this time are shown as one event. */
const TOGETHER_MS = 5_000;

/** The latest ones, oldest first. `before`: null for the first observation. */
export function happeningsWith(
  former: readonly Happening[],
  before: CampaignObservation | null,
  after: CampaignObservation,
): readonly Happening[] {
  const news = [...(before ? between(before, after) : []), ...ends(before, after)].sort(
    (a, b) => a.at - b.at,
  );
  return news.reduce(joined, former).slice(-KEPT);
}

function ends(before: CampaignObservation | null, { progress }: CampaignObservation): Happening[] {
  const known = new Set(before?.progress.recent?.map(({ id, at }) => `${id} ${at}`));
  return (progress.recent ?? [])
    .filter(({ id, at }) => !known.has(`${id} ${at}`))
    .map(({ id, at, state, code }) => ({
      at,
      subject: id,
      words: code ? `${state}: ${code}` : state,
      tone: TONE_OF_STATE[state],
    }));
}

function between(before: CampaignObservation, after: CampaignObservation): Happening[] {
  const { at, progress } = after;
  const words = WORDS_OF_STATE[progress.state];
  const turned = before.progress.state !== progress.state;
  return [
    ...(turned ? [{ at, subject: progress.campaign, words, tone: 'strong' as const }] : []),
    ...after.budgets.flatMap((budget) => {
      const former = before.budgets.find((one) => isSameReference(one, budget));
      return former ? ofBudget(former, budget, at) : [];
    }),
  ];
}

const WORDS_OF_STATE: Readonly<Record<CampaignState, string>> = {
  running: 'running',
  paused: 'paused: no new submissions',
  publishing: 'all items have ended; writing the tables',
  completed: 'completed',
  cancelled: 'cancelled',
};

function ofBudget(before: BudgetStatus, after: BudgetStatus, at: number): Happening[] {
  const subject = after.service;
  const accepted = after.counts.accepted - before.counts.accepted;
  const refused = after.counts.rejected429 - before.counts.rejected429;
  return [
    ...(accepted > 0 ? [acceptance(subject, accepted, at)] : []),
    ...(refused > 0
      ? [{ at, subject, words: `answered ${refused} with 429`, tone: 'warning' as const }]
      : []),
    ...ofBlock(subject, isBlocked(before) ? before : null, isBlocked(after) ? after : null, at),
  ];
}

function acceptance(subject: string, accepted: number, at: number): Happening {
  const words = accepted === 1 ? 'accepted 1 job' : `accepted ${accepted} jobs`;
  return { at, subject, words, tone: 'plain', accepted };
}

/** A service that refuses us is blocked until it accepts a request: the end of a delay only allows the next attempt. */
function isBlocked({ blockedUntil, refusal }: BudgetStatus): boolean {
  return blockedUntil !== null || refusal !== undefined;
}

function ofBlock(
  subject: string,
  before: BudgetStatus | null,
  after: BudgetStatus | null,
  at: number,
): Happening[] {
  if (before && !after) return [{ at, subject, words: 'accepts requests again', tone: 'good' }];
  const end = after?.blockedUntil ?? null;
  if (!after || end === null || before?.blockedUntil === end) return [];
  const until = clockText(end, at);
  const words = `blocked until ${until}: ${after.blockedBecause ?? ''}`;
  return [{ at, subject, words, tone: 'warning' }];
}

function joined(list: readonly Happening[], next: Happening): readonly Happening[] {
  const last = list.at(-1);
  const together =
    last?.accepted !== undefined &&
    next.accepted !== undefined &&
    last.subject === next.subject &&
    next.at - last.at < TOGETHER_MS;
  if (!together) return [...list, next];
  const sum = acceptance(next.subject, last.accepted + next.accepted, last.at);
  return [...list.slice(0, -1), sum];
}
