/** What the Temporal UI shows of campaigns, items and timers: as markdown, and within its size limits. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CampaignProgress } from '../../src/domain/campaign.ts';
import {
  formatTimerSummary,
  formatCampaignAtStart,
  formatCampaignDetails,
  endSummary,
  formatItemDetails,
  toOneLine,
  formatVerbatim,
} from '../../src/workflows/details.ts';
import type { ItemInput } from '../../src/workflows/messages.ts';

const NOW = Date.UTC(2026, 10, 21, 23, 40, 12);
const HOUR = 3_600_000;
/** Size limits in bytes: of details in the Temporal UI, and of a summary on the server. */
const DETAILS = 20_000;
const SUMMARY = 400;
/** Four bytes per character, each with a meaning in markdown or HTML. */
const HOSTILE = '|`<😀\n'.repeat(1_000);

const bytes = (text: string) => Buffer.byteLength(text);

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

  test('fits the size limit, with many codes and hostile texts, and names a paused service', () => {
    const failuresByCode = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`${HOSTILE}${n}`, n]),
    );
    const pausedServices = [
      { service: 'molecules', code: 'JOB_FAILED', message: HOSTILE, times: 5 } as const,
    ];
    const hostile = { ...progress, campaign: HOSTILE, failuresByCode, pausedServices };
    const shown = formatCampaignDetails(hostile, NOW - HOUR, HOSTILE);
    expect(bytes(shown)).toBeLessThan(DETAILS);
    expect(shown).toContain('other codes');
    expect(shown).toContain(
      '**500 items**: 90 succeeded, 2 failed, 1 held, 3 invalid, 300 open, 4 ',
    );
    expect(shown).toMatch(/^- \*\*molecules is paused\*\*: 5 items failed .*JOB_FAILED: /m);
    const manifests = Array.from({ length: 1_000 }, () => HOSTILE);
    expect(bytes(formatCampaignAtStart({ name: HOSTILE, store: HOSTILE }, manifests))).toBeLessThan(
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
    begin: { type: 'job', how: 'accepted', remoteId: 'job-1', posted: {}, attempts: [] },
  };
  test('fits the size limit with hostile texts, and says how it ended', () => {
    const end = { state: 'failed', code: HOSTILE, message: HOSTILE } as const;
    const shown = formatItemDetails(
      { ...input, id: HOSTILE, campaign: HOSTILE, store: HOSTILE },
      { submittedAt: null, end, remoteId: HOSTILE },
      NOW,
    );
    expect(bytes(shown)).toBeLessThan(DETAILS);
    expect(shown).toMatch(/: \*\*failed\*\*\n\n`/);
  });
});

test('the timer of a budget shows whether it waits for a slot or for the end of a block', () => {
  const block = { until: NOW + 40_000, reason: 'HTTP 503: <b>' };
  expect(formatTimerSummary(block, NOW + 1_000, NOW)).toBe('slot frees 23:40:13 UTC');
  expect(formatTimerSummary(block, NOW + HOUR, NOW)).toBe('slot frees 22 Nov 00:40:12 UTC');
  const words = 'next try 23:40:52 UTC: HTTP 503: <b>';
  expect(formatTimerSummary(block, NOW + 40_000, NOW)).toBe(words);
  const hostile = formatTimerSummary({ ...block, reason: HOSTILE }, NOW + 40_000, NOW);
  expect(bytes(hostile)).toBeLessThan(SUMMARY);
});

test('the summary of an end names it, within the size limit', () => {
  const end = { state: 'failed', code: HOSTILE, message: null } as const;
  expect(endSummary(end)).toContain('failed');
  expect(bytes(endSummary(end))).toBeLessThan(SUMMARY);
});

/** What a code span of CommonMark 0.31 (6.1) shows; null if the text is not a code span. */
function shown(markdown: string): string | null {
  const [, fence = '', inside = ''] = /^(`+)([^]*?)\1$/.exec(markdown) ?? [];
  const runs: string[] = inside.match(/`+/g) ?? [];
  if (fence === '' || inside.includes('\n') || runs.includes(fence)) return null;
  if (inside.startsWith('`') || inside.endsWith('`')) return null;
  const padded = /^ (.*[^ ].*) $/.exec(inside)?.[1];
  return padded ?? inside;
}

test('any text is one code span, on one line', () => {
  const alphabet = fc.constantFrom(...Array.from('`|\\<>[]()*_#~ \na😀\u2028'));
  fc.assert(
    fc.property(fc.string({ unit: alphabet, maxLength: 40 }), (text) => {
      const markdown = formatVerbatim(text);
      if (markdown === '—') return;
      expect(shown(markdown)).toBe(toOneLine(text));
      expect(markdown).not.toContain('\n');
    }),
  );
});
