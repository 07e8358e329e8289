/** The counts of a campaign, as text. */
import { expect, test } from 'vitest';
import { countsText } from '../../../src/cli/text/progress-text.ts';
import { budget, seen, window } from '../live/scenes.ts';

test('requests that a campaign does not count as open yet are waiting, and are counted once', () => {
  // The budget of 60 requests was read after the campaign wrote that 21 of its 60 items are open.
  const early = seen({ total: 60, open: 21 }, [budget('predictions', window(null, []), 60, 0)]);
  expect(countsText(early)).toBe('0 of 60: 60 waiting');
});

test('open items that do not wait for a slot are running', () => {
  const later = seen({ total: 60, open: 21 }, [budget('predictions', window(null, []), 20, 1)]);
  expect(countsText(later)).toBe('0 of 60: 1 running, 59 waiting');
});
