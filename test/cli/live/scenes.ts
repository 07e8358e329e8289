/** Made-up states of campaigns for the live view, covering everything that it can show. */
import type { BudgetStatus, AccountStatus } from '../../../src/budget/status.ts';
import type { Scene } from '../../../src/cli/progress.ts';
import type { CampaignObservation } from '../../../src/runner/observe.ts';
import type { CampaignProgress, RecentEnd } from '../../../src/domain/campaign.ts';

/** A clock time in the local time zone, so that the output is the same everywhere. */
export const NOW = new Date(2026, 10, 21, 22, 14, 0).getTime();
const SECOND = 1_000;
const HOUR = 3_600_000;

const NONE = { succeeded: 0, failed: 0, held: 0, cancelled: 0, invalid: 0 };

export function window(
  limit: number | null,
  releases: readonly number[],
  changes: Partial<AccountStatus> = {},
): AccountStatus {
  const free = limit && limit - releases.length;
  const nextFreeAt = releases[0] ?? null;
  const used = { charged: releases.length, releases, free: free ?? 0, nextFreeAt };
  return {
    windows: limit === null ? [] : [{ limit, windowMs: HOUR, ...used }],
    open: null,
    free,
    nextFreeAt,
    blockedUntil: null,
    blockedBecause: null,
    ...changes,
  };
}

export function budget(
  service: string,
  own: AccountStatus,
  items: number,
  accepted: number,
  changes: Partial<BudgetStatus> = {},
): BudgetStatus {
  const waits = { campaign: 'night', priority: 3, user: null, paused: false, charged: 0 };
  return {
    service,
    address: 'host',
    credential: 'ours',
    now: NOW,
    outstanding: 0,
    ...own,
    use: [{ ...waits, waiting: items, asked: items }],
    counts: { submissions: accepted, accepted, refused: 0, rejected429: 0 },
    ...changes,
  };
}

export function seen(
  of: Partial<CampaignProgress>,
  budgets: readonly BudgetStatus[],
  changes: Partial<CampaignObservation> = {},
): CampaignObservation {
  const empty = { total: 0, open: 0, following: 0, ended: NONE, failuresByCode: {} };
  return {
    at: NOW,
    progress: { campaign: 'night', state: 'running', ...empty, ...of },
    waiting: budgets.flatMap(({ use }) => use).reduce((sum, one) => sum + one.waiting, 0),
    budgets,
    kinds: null,
    obstacle: null,
    hindered: null,
    ended: false,
    completed: false,
    ...changes,
  };
}

export function scene(observation: CampaignObservation, changes: Partial<Scene> = {}): Scene {
  return {
    followed: { name: 'night', folder: '/srv/campaigns/results/night' },
    ui: 'http://127.0.0.1:8233',
    now: NOW,
    seen: observation,
    notice: null,
    keys: { ctrlC: () => 'stop' },
    ...changes,
  };
}

/** This many slots that free up one after the other, from `first` on. */
const freed = (count: number, first: number, apart: number): number[] =>
  Array.from({ length: count }, (_, n) => NOW + first + n * apart);

function failure(n: number, code: string, message: string): RecentEnd {
  const at = NOW - n * 97 * SECOND;
  return { id: `mol-${n}`, kind: 'molecule', state: 'failed', code, message, at };
}

const ENDS: readonly RecentEnd[] = Array.from({ length: 8 }, (_, n) => ({
  at: NOW - (30 - n) * SECOND,
  id: `seq-${4_400 + n}`,
  kind: 'sequence',
  state: 'succeeded',
  code: null,
  message: null,
}));

const TEN_THOUSAND: Partial<CampaignProgress> = {
  total: 10_000,
  open: 312,
  following: 40,
  ended: { ...NONE, succeeded: 6_180, failed: 14, held: 2 },
  failuresByCode: { JOB_FAILED: 12, RESULT_EMPTY: 2, SUBMIT_UNSURE: 2 },
  kinds: {
    molecule: { open: 2, ended: { ...NONE, succeeded: 2_484, failed: 14 } },
    sequence: { open: 260, ended: { ...NONE, succeeded: 1_900 } },
    alignment: { open: 50, ended: { ...NONE, succeeded: 1_796, held: 2 } },
  },
  recent: ENDS,
  failures: [
    failure(3, 'JOB_FAILED', 'acpype: Odd number of electrons (85); the net charge is wrong'),
    failure(2, 'RESULT_EMPTY', 'GMX_top is missing from the result'),
    failure(1, 'JOB_FAILED', '电荷不对 – Ladung falsch\nsecond line\u001b[31m red'),
  ],
};

/** The names are those of the snapshots. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'ten thousand items': scene(
    seen(
      TEN_THOUSAND,
      [
        budget('molecules', window(null, []), 0, 2_500, { outstanding: 2 }),
        budget('predictions', window(100, freed(88, 90 * SECOND, 21 * SECOND)), 280, 3_730),
      ],
      {
        kinds: {
          items: { molecule: 2_500, sequence: 5_000, alignment: 2_500, shifts: 0 },
          adopted: 0,
          following: { molecule: 0, sequence: 40, alignment: 0, shifts: 0 },
        },
      },
    ),
  ),
  'a paused campaign, whose slots are used': scene(
    seen({ total: 12, open: 6, state: 'paused', ended: { ...NONE, succeeded: 6 } }, [
      budget('predictions', window(6, freed(6, 40 * SECOND, SECOND)), 6, 6),
    ]),
    { notice: 'Pausing: no new submissions.' },
  ),
  'a long name, and no keyboard': scene(seen({ total: 3, open: 3 }, []), {
    followed: { name: 'n'.repeat(64), folder: `/${'deep/'.repeat(30)}night` },
    keys: null,
    ui: null,
  }),
};
