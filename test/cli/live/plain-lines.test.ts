/** Progress without a terminal. */
import { expect, test, vi } from 'vitest';
import { PlainLines } from '../../../src/cli/live/plain-lines.ts';
import type { CampaignObservation } from '../../../src/campaigns/observe.ts';
import { budget, NOW, seen, window } from './scenes.ts';

function linesOf(looks: readonly CampaignObservation[]): string[] {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk).trimEnd());
    return true;
  });
  try {
    const view = new PlainLines({ name: 'night' });
    for (const look of looks) view.show(look);
  } finally {
    write.mockRestore();
  }
  return lines;
}

function look(limit: number, at: number): CampaignObservation {
  const charged = [NOW + 60_000, NOW + 61_000];
  return seen({ total: 4, open: 2 }, [budget('predictions', window(limit, charged), 2, 2)], { at });
}

test('a line is printed at once when a limit changes, otherwise once a minute', () => {
  const lines = linesOf([
    look(5, NOW),
    look(5, NOW + 1_000),
    look(1, NOW + 2_000),
    look(1, NOW + 61_000),
    look(1, NOW + 62_000),
  ]);
  expect(lines.map((line) => /\d+ of \d+ used/.exec(line)?.[0])).toEqual([
    '2 of 5 used',
    '2 of 1 used',
    '2 of 1 used',
  ]);
});
