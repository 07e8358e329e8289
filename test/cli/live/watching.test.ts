/** The live view over consecutive polls: events, pace, and when to poll again. */
import { expect, test, vi } from 'vitest';
import { nextLookIn } from '../../../src/campaigns/follow.ts';
import { happeningsWith, type Happening } from '../../../src/cli/live/happenings.ts';
import { PlainLines } from '../../../src/cli/live/plain-lines.ts';
import { paceOf, paceSample, withSample, type PaceSample } from '../../../src/cli/live/pace.ts';
import { countsText } from '../../../src/cli/text/progress-text.ts';
import type { CampaignObservation } from '../../../src/campaigns/observe.ts';
import type { RecentEnd } from '../../../src/domain/campaign.ts';
import { budget, NOW, seen, window } from './scenes.ts';

const end = (id: string, at: number, state: RecentEnd['state'] = 'succeeded'): RecentEnd => ({
  id,
  at,
  state,
  kind: 'sequence',
  message: null,
  code: state === 'succeeded' ? null : 'JOB_FAILED',
});
const look = (at: number, recent: readonly RecentEnd[], accepted = 0): CampaignObservation =>
  seen({ recent }, [budget('predictions', window(5, []), 0, accepted)], { at });
const told = (list: readonly Happening[]) =>
  list.map(({ subject, words }) => `${subject} ${words}`);

test('every end is reported once, in chronological order', () => {
  const first = look(NOW, [end('a', NOW - 9)]);
  const second = look(NOW + 500, [end('a', NOW - 9), end('b', NOW + 2, 'failed')]);
  const one = happeningsWith([], null, first);
  expect(told(one)).toEqual(['a succeeded']);
  expect(told(happeningsWith(one, first, second))).toEqual(['a succeeded', 'b failed: JOB_FAILED']);
  const many = Array.from({ length: 90 }, (_, n) => end(`s-${n}`, NOW + n));
  const list = happeningsWith([], null, look(NOW + 99, many));
  expect(list, 'only the last few are kept').toHaveLength(40);
  expect(list.at(-1)?.subject).toBe('s-89');
});

test('pauses, refusals and blocks are shown when they start and when they end', () => {
  const blocked = window(5, [], { blockedUntil: NOW + 60_000, blockedBecause: 'HTTP 503' });
  const counts = { submissions: 1, accepted: 0, refused: 0, rejected429: 1 };
  const well = look(NOW, []);
  const down = seen({ state: 'paused' }, [budget('predictions', blocked, 0, 0, { counts })], {
    at: NOW + 500,
  });
  const words = told(happeningsWith(happeningsWith([], well, down), down, well));
  expect(words[0]).toBe('night paused: no new submissions');
  expect(words[1]).toBe('predictions answered 1 with 429');
  expect(words[2]).toMatch(/^predictions blocked until 22:15:00: HTTP 503$/);
  expect(words.slice(3)).toEqual(['night running', 'predictions accepts requests again']);
});

test('"accepts requests again" is shown after an accepted request, not when the next attempt is due', () => {
  const refusal = { since: NOW, reason: 'HTTP 403' };
  const at = (ms: number, blockedUntil: number | null) =>
    seen(
      {},
      [
        budget(
          'predictions',
          window(5, [], { refusal, blockedUntil, blockedBecause: 'HTTP 403' }),
          0,
          0,
        ),
      ],
      { at: NOW + ms },
    );
  const looks = [
    look(NOW, []),
    at(500, NOW + 5_000),
    at(5_100, null),
    at(5_200, NOW + 15_000),
    look(NOW + 15_100, []),
  ];
  let list: readonly Happening[] = [];
  for (const [i, one] of looks.entries()) list = happeningsWith(list, looks[i - 1] ?? null, one);
  expect(told(list).map((words) => words.replace(/ until .*/, ''))).toEqual([
    'predictions blocked',
    'predictions blocked',
    'predictions accepts requests again',
  ]);
});

test('the pace covers the last five minutes, and is unknown during the first seconds', () => {
  const at = (seconds: number, done: number): CampaignObservation => {
    const ended = { succeeded: done, failed: 0, held: 0, cancelled: 0, invalid: 0 };
    // A third of them share the job of another row.
    const molecule = { open: 0, ended: { ...ended, succeeded: Math.floor(done / 3) } };
    const kinds = { molecule, sequence: molecule };
    return seen({ ended, kinds }, [budget('p', window(5, []), 0, 2 * done)], {
      at: NOW + seconds * 1_000,
    });
  };
  let samples: PaceSample[] = [];
  for (let second = 0; second <= 600; second += 1)
    samples = withSample(samples, paceSample(at(second, second)));
  expect(samples.length).toBeLessThan(200);
  expect(paceOf(samples, paceSample(at(600, 600)))).toEqual({
    ended: 300,
    endedBy: { molecules: 100, predictions: 100 },
    accepted: 600,
    overMs: 300_000,
  });
  expect(paceOf(withSample([], paceSample(at(0, 0))), paceSample(at(9, 9)))).toBeNull();
});

test('polling slows down while nothing changes, speeds up after a change, and follows each slot', () => {
  const still = look(NOW, []);
  let waited = nextLookIn(null, still);
  expect(waited).toBe(1_000);
  const times = Array.from(
    { length: 12 },
    () => (waited = nextLookIn({ seen: still, waited }, still)),
  );
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBe(4_000);
  expect(nextLookIn({ seen: still, waited }, look(NOW, [], 1))).toBe(1_000);
  const many = seen({ total: 10_000 }, [budget('predictions', window(5, []), 0, 0)]);
  expect(nextLookIn(null, many), 'of thousands, half as often').toBe(2_000);
  const slot = seen({}, [budget('predictions', window(5, [NOW + 1_200]), 0, 0)]);
  expect(nextLookIn({ seen: slot, waited }, slot)).toBe(1_500);
});

test('without a terminal, a line is printed at once when a limit changes, otherwise once a minute', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    lines.push(/\d+ of \d+ used/.exec(String(chunk))?.[0] ?? '');
    return true;
  });
  const view = new PlainLines({ name: 'night' });
  const charged = [NOW + 60_000, NOW + 61_000];
  for (const [limit, after] of [
    [5, 0],
    [5, 1_000],
    [1, 2_000],
    [1, 61_000],
    [1, 62_000],
  ] as const) {
    const budgets = [budget('predictions', window(limit, charged), 2, 2)];
    view.show(seen({ total: 4, open: 2 }, budgets, { at: NOW + after }));
  }
  write.mockRestore();
  expect(lines).toEqual(['2 of 5 used', '2 of 1 used', '2 of 1 used']);
});

test('requests that a campaign does not count as open yet are waiting, and open items without one are running', () => {
  // The budget of 60 requests was read after the campaign wrote that 21 of its 60 items are open.
  const text = (waiting: number) =>
    countsText(seen({ total: 60, open: 21 }, [budget('p', window(null, []), waiting, 0)]));
  expect(text(60)).toBe('0 of 60: 60 waiting');
  expect(text(20)).toBe('0 of 60: 1 running, 59 waiting');
});
