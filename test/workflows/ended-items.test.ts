/** What a campaign reports of ended items: exact counts, and a few of the last ones, through continue-as-new. */
import { expect, test } from 'vitest';
import { ProgressTally } from '../../src/workflows/campaign-progress.ts';

test('counts are exact and only the last items are kept, also after continue-as-new', () => {
  let ended = new ProgressTally({ ended: {} });
  for (let n = 0; n < 1_000; n += 1) {
    const state = n % 50 === 0 ? 'failed' : 'succeeded';
    const kind = n % 2 === 0 ? 'molecule' : 'sequence';
    const message = state === 'failed' ? 'x'.repeat(5_000) : null;
    ended.add({ id: `i-${n}`, kind, at: n, state, code: state, message });
    // Continued as new: the state becomes JSON.
    if (n % 300 === 0) {
      const carried: unknown = JSON.parse(JSON.stringify(ended.progress([])));
      ended = new ProgressTally(carried as ReturnType<ProgressTally['progress']>);
    }
  }
  const { kinds, recent, failures, ...sums } = ended.progress(['sequence', 'shifts', 'shifts']);
  expect(sums.ended).toMatchObject({ succeeded: 980, failed: 20, held: 0 });
  expect(kinds.molecule).toMatchObject({
    open: 0,
    ended: { succeeded: 480, failed: 20, held: 0 },
  });
  expect(kinds.sequence).toMatchObject({ open: 1, ended: { succeeded: 500 } });
  expect(kinds.shifts).toMatchObject({ open: 2, ended: { succeeded: 0 } });
  expect(recent.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `i-${980 + n}`));
  expect(failures.map(({ id }) => id)).toEqual(
    Array.from({ length: 10 }, (_, n) => `i-${500 + 50 * n}`),
  );
  expect(JSON.stringify({ recent, failures }).length).toBeLessThan(10_000);
});
