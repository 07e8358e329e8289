/** What the Temporal UI shows of campaigns, items and budgets: as markdown, and within its size limits. */
import { describe, expect, test } from 'vitest';
import type { BudgetStatus, WindowStatus } from '../../../src/budget/status.ts';
import type { Attempt, CampaignProgress } from '../../../src/domain/campaign.ts';
import type { Options } from '../../../src/domain/item.ts';
import { budgetDetails, timerSummary } from '../../../src/workflows/details/budget.ts';
import { campaignAtStart, campaignDetails } from '../../../src/workflows/details/campaign.ts';
import { itemDetails, type ItemStanding } from '../../../src/workflows/details/item.ts';
import { endSummary, submitSummary } from '../../../src/workflows/details/summaries.ts';
import type { ItemInput } from '../../../src/workflows/messages.ts';

const NOW = Date.UTC(2026, 10, 21, 23, 40, 12);
const HOUR = 3_600_000;
/** Size limits in bytes: of details in the Temporal UI, and of a summary on the server. */
const DETAILS = 20_000;
const SUMMARY = 400;
/** Four bytes per character, each with a meaning in markdown or HTML. */
const HOSTILE = '|`<😀\n'.repeat(1_000);

const bytes = (text: string) => Buffer.byteLength(text);
const plain = (markdown: string) => markdown.replaceAll('\u00a0', '');

describe('a campaign', () => {
  const progress: CampaignProgress = {
    campaign: 'night',
    state: 'running',
    total: 500,
    open: 300,
    following: 4,
    ended: { succeeded: 90, failed: 2, held: 1, cancelled: 0, invalid: 3 },
    failuresByCode: { JOB_FAILED: 1, SUBMIT_UNSURE: 1, RESULT_EMPTY: 1 },
  };
  const standing = { progress, startedAt: NOW - HOUR, store: '/data/night' };

  test('names a paused service, and the command to continue', () => {
    const brakes = [{ service: 'molecules', code: 'JOB_FAILED', message: HOSTILE, times: 5 }];
    const shown = campaignDetails({
      ...standing,
      progress: { ...progress, brakes } as CampaignProgress,
    });
    expect(plain(shown)).toMatch(
      /^- \*\*molecules is paused\*\*: 5 items failed for the same reason, .*JOB_FAILED: .*`hundredfold resume night --service molecules` continues\.$/m,
    );
    expect(bytes(shown)).toBeLessThan(DETAILS);
  });

  test('counts its items and its failures', () => {
    expect(plain(campaignDetails(standing))).toBe(
      `**\`night\`**: **running**

- started: 21 Nov 22:40:12 UTC
- results: \`/data/night\`

| state | items |
| --- | ---: |
| succeeded | 90 |
| failed | 2 |
| held | 1 |
| invalid | 3 |
| open | 300 |
| share the job of another row | 4 |
| not started yet | 100 |
| **all** | **500** |

| failures by code | items |
| --- | ---: |
| \`JOB_FAILED\` | 1 |
| \`RESULT_EMPTY\` | 1 |
| \`SUBMIT_UNSURE\` | 1 |`,
    );
  });

  test('fits the size limit, with many codes and hostile texts', () => {
    const failuresByCode = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`${HOSTILE}${n}`, n]),
    );
    const hostile = { ...progress, campaign: HOSTILE, failuresByCode };
    const shown = campaignDetails({ ...standing, progress: hostile, store: HOSTILE });
    expect(bytes(shown)).toBeLessThan(DETAILS);
    expect(shown).toContain('other codes');
    const manifests = Array.from({ length: 1_000 }, () => HOSTILE);
    expect(bytes(campaignAtStart({ name: HOSTILE, store: HOSTILE }, manifests))).toBeLessThan(
      DETAILS,
    );
  });
});

describe('an item', () => {
  const input: ItemInput = {
    campaign: 'night',
    id: 'caffeine',
    kind: 'molecule',
    generation: 0,
    store: '/data/night',
    tree: 'a-tree',
    reference: { service: 'molecules', address: 'host/acpype', credential: '3f2a91bc' },
    priority: 3,
    user: null,
    policy: { deadlineMs: HOUR, whenUnsure: 'hold' },
    sends: {
      input: { name: 'input.smi', bytes: 28, digest: '0123456789ab' },
      options: { kind: 'molecule', chargeMethod: 'bcc', netCharge: -1, atomType: 'gaff2' },
    },
  };
  const waiting: ItemStanding = {
    state: 'waiting',
    end: null,
    remoteId: null,
    attempts: [],
    submittedAt: null,
    timing: null,
    files: [],
  };

  test('that waits shows what will be sent, and to which service', () => {
    expect(itemDetails(input, waiting, NOW)).toBe(
      `**\`caffeine\`** (molecule) of \`night\`: **waits for a slot of the budget**

- input: \`input.smi\`, 28 bytes, SHA-256 \`0123456789ab…\`
- options: charge_method bcc, net_charge -1, atom_type gaff2
- service: molecules at \`host/acpype\`
- job: none yet
- files: none fetched, in \`/data/night/molecules/caffeine\``,
    );
  });

  test('that has ended shows its outcome and its events', () => {
    const at = new Date(NOW - 60_000).toISOString();
    const ended: ItemStanding = {
      state: 'failed',
      end: { state: 'failed', code: 'JOB_FAILED', message: 'no | charge' },
      remoteId: 'job-1',
      submittedAt: at,
      files: [{ name: 'a', bytes: 70_000, sha256: '' }],
      attempts: [
        { at, outcome: 'unreachable', message: 'refused' },
        { at, outcome: 'accepted', remoteId: 'job-1' },
      ],
      timing: {
        queuedAt: null,
        startedAt: null,
        finishedAt: at,
        queueWaitSeconds: 2.51,
        elapsedSeconds: 75,
        leftSeconds: null,
        timeLimitSeconds: null,
        heartbeatAgeSeconds: null,
      },
    };
    expect(itemDetails(input, ended, NOW).split('\n').slice(2)).toEqual([
      '`JOB_FAILED`: `no ¦ charge`',
      '',
      '- input: `input.smi`, 28 bytes, SHA-256 `0123456789ab…`',
      '- options: charge_method bcc, net_charge -1, atom_type gaff2',
      '- service: molecules at `host/acpype`',
      '- job: `job-1`',
      '- accepted: 21 Nov 23:39:12 UTC',
      '- timing: 2.5 s in the queue, 1 min 15 s run, finished 21 Nov 23:39:12 UTC',
      '- ended: 21 Nov 23:40:12 UTC',
      '- files: 1 fetched (70 kB), in `/data/night/molecules/caffeine`',
      '',
      'Attempts, oldest first:',
      '',
      '- 21 Nov 23:39:12 UTC unreachable: `refused`',
      '- 21 Nov 23:39:12 UTC accepted',
    ]);
  });

  test.each<[Options, string]>([
    [{ kind: 'sequence', predictors: ['dynamine', 'psper'] }, 'predictors dynamine, psper'],
    [{ kind: 'alignment' }, 'none to choose'],
    [
      { kind: 'shifts', modelClass: '2', originalNumbering: false },
      'model_class 2, original_numbering false',
    ],
  ])('shows its options: %j', (options, words) => {
    const sends = { input: { name: 'a', bytes: 1, digest: '' }, options };
    expect(itemDetails({ ...input, sends }, waiting, NOW)).toContain(`- options: ${words}\n`);
  });

  test('fits the size limit, with many attempts and hostile texts', () => {
    const attempts = Array.from({ length: 500 }, (): Attempt => ({
      at: new Date(NOW).toISOString(),
      outcome: 'unsure',
      message: HOSTILE,
    }));
    const end = { state: 'failed', code: HOSTILE, message: HOSTILE } as const;
    const shown = itemDetails(
      { ...input, id: HOSTILE, campaign: HOSTILE, store: HOSTILE },
      { ...waiting, state: 'failed', end, remoteId: HOSTILE, attempts },
      NOW,
    );
    expect(bytes(shown)).toBeLessThan(DETAILS);
    expect(shown).toContain('The last 20 of 500 attempts');
  });
});

describe('a budget', () => {
  const window: WindowStatus = {
    limit: 100,
    windowMs: HOUR,
    charged: 3,
    free: 97,
    nextFreeAt: NOW,
    releases: [NOW + 1_000, NOW + 1_999, NOW + 60_000],
    blockedUntil: null,
    blockedBecause: null,
  };
  const unlimited = { ...window, limit: null, free: null, releases: [] };
  const status: BudgetStatus = {
    service: 'predictions',
    address: 'host',
    now: NOW,
    outstanding: 2,
    addressBlock: { blockedUntil: null, blockedBecause: null },
    credentials: [{ ...window, credential: '3f2a91bc' }],
    waiting: [
      {
        campaign: 'night',
        credential: '3f2a91bc',
        items: 12,
        asked: 12,
        priority: 4,
        user: 'anna',
        paused: true,
      },
    ],
    use: [
      {
        campaign: 'night',
        user: 'anna',
        credential: '3f2a91bc',
        charged: 2,
        waiting: 12,
        priority: 4,
        paused: true,
      },
      {
        campaign: null,
        user: null,
        credential: '3f2a91bc',
        charged: 1,
        waiting: 0,
        priority: 3,
        paused: false,
      },
    ],
    counts: { submissions: 7, accepted: 5, refused: 1, rejected429: 1 },
  };
  const down = { ...unlimited, blockedUntil: NOW + 40_000, blockedBecause: 'HTTP 503: <b>' };

  test('shows its windows, the next slots, and who uses them', () => {
    expect(plain(budgetDetails(status))).toBe(
      `**predictions** at \`host\`

| window | charged | free |
| --- | ---: | ---: |
| credential \`3f2a91bc\` | 3 of 100 in 1 h | 97 |

Slots become free:

- credential \`3f2a91bc\`: 2 at 21 Nov 23:40:13 UTC, 1 at 21 Nov 23:41:12 UTC

| campaign | user | credential | charged | waiting | priority |
| --- | --- | --- | ---: | ---: | ---: |
| \`night\` | \`anna\` | \`3f2a91bc\` | 2 | 12 (paused) | 4 |
| no campaign here |  | \`3f2a91bc\` | 1 | 0 |  |

2 in progress; 7 sent in total, of which 5 accepted, 1 refused, 1 answered with 429.`,
    );
  });

  test('shows why nothing is sent, also without a known limit', () => {
    const shown = budgetDetails({ ...status, addressBlock: down });
    expect(shown).toContain(
      'Blocked:\n\n- all of this address: next try 21 Nov 23:40:52 UTC: `HTTP 503: <b>`',
    );
    expect(shown).not.toContain('| all of this address');
  });

  test('shows whether it waits for a slot or for the end of a block', () => {
    expect(timerSummary(status, NOW + 1_000)).toBe('slot frees 23:40:13 UTC');
    expect(timerSummary(status, NOW + HOUR)).toBe('slot frees 22 Nov 00:40:12 UTC');
    const blocked = { ...status, addressBlock: down };
    expect(timerSummary(blocked, NOW + 40_000)).toBe('next try 23:40:52 UTC: HTTP 503: <b>');
    const hostile = { ...blocked, addressBlock: { ...down, blockedBecause: HOSTILE } };
    expect(bytes(timerSummary(hostile, NOW + 40_000))).toBeLessThan(SUMMARY);
  });

  test('fits the size limit, with many credentials, campaigns and hostile texts', () => {
    const many = <T>(one: T) => Array.from({ length: 300 }, () => one);
    const credential = { ...window, credential: HOSTILE.slice(0, 8), ...blockOf(down) };
    const line = { campaign: 'c'.repeat(64), user: HOSTILE, credential: '3f2a91bc', charged: 1 };
    const standing = { waiting: 1, priority: 3, paused: true };
    const use = many({ ...line, ...standing });
    const shown = budgetDetails({ ...status, credentials: many(credential), use });
    expect(bytes(shown)).toBeLessThan(DETAILS);
  });

  function blockOf({ blockedUntil }: WindowStatus) {
    return { blockedUntil, blockedBecause: HOSTILE };
  }
});

describe('a summary', () => {
  const request = {
    item: 'item:night:ubq',
    campaign: 'night',
    credential: '3f2a91bc',
    attempt: 0,
    run: 'r',
    priority: 3,
    user: null,
    job: { id: 'ubq', kind: 'sequence', generation: 0, store: '/data/night', tree: 'a-tree' },
    order: 0,
    turnedAway: [],
  };
  const ticket = { charged: 1, granted: 1, foreign: 0, changed: 0 };
  const grant = { request, ticket, number: 1, probe: false, withdrawn: false };

  test('of a submission names the item, and the slot that it waits for', () => {
    expect(submitSummary({ ...grant, notBefore: NOW }, NOW)).toBe('sequence ubq of night');
    const again = { ...grant, request: { ...request, attempt: 1 }, notBefore: NOW + 1_000 };
    expect(submitSummary(again, NOW)).toBe(
      'sequence ubq of night, submission 2, slot frees 23:40:13 UTC',
    );
  });

  test('of an end names the end', () => {
    expect(endSummary({ state: 'succeeded', code: null, message: null })).toBe(
      'succeeded: into item.json',
    );
    const end = { state: 'failed', code: HOSTILE, message: null } as const;
    expect(bytes(endSummary(end))).toBeLessThan(SUMMARY);
  });
});
