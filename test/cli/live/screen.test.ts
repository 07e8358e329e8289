/** The live view at several sizes, as snapshots. Review them by eye when they change. */
import stringWidth from 'string-width';
import { expect, test, vi } from 'vitest';
import { formatBudgetText, renderClosingLines, renderScreen } from '../../../src/cli/progress.ts';
import { NOW, SCENES, scene, seen, window } from './scenes.ts';

const shown = (name: string, columns: number, rows: number): string[] => {
  const found = SCENES[name];
  if (!found) throw new Error(`no scene is named ${name}`);
  return renderScreen(found, { columns, rows });
};

test.each(Object.keys(SCENES))('%s is shown, and fits into a terminal of any size', (name) => {
  // Small and large for the fullest scene only: the others differ in single lines.
  for (const [columns, rows] of name === 'ten thousand items'
    ? [
        [40, 24],
        [120, 30],
      ]
    : [[80, 23]])
    expect(`\n${shown(name, columns ?? 0, rows ?? 0).join('\n')}\n`).toMatchSnapshot();
  for (let columns = 1; columns <= 220; columns += 11) {
    for (const rows of [1, 6, 23, 60]) {
      const lines = shown(name, columns, rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      const widest = Math.max(...lines.map((line) => stringWidth(line)));
      expect(widest, `${columns}`).toBeLessThanOrEqual(columns);
    }
  }
});

test('jobs in flight for slots that become free now are not told as used, but those above a lowered limit are', () => {
  const releases = [1, 2, 3].map((n) => NOW + n * 1_000);
  const own = window(3, releases);
  const windows = own.windows.map((one) => ({ ...one, charged: 5 }));
  expect(formatBudgetText('p', { ...own, windows }, NOW)).toContain(
    'p: 3 of 3 used in 1 h, 0 free',
  );
  expect(formatBudgetText('p', window(2, releases), NOW)).toContain('p: 3 of 2 used');
});

test('shows what blocks the campaign below its counts, also on a small screen', () => {
  const obstacle =
    'The disk of /srv/results/night is full. Free some space: the campaign then continues on its own.';
  const full = scene(seen({ total: 9, state: 'publishing' }, [], { obstacle }));
  for (const rows of [5, 23]) {
    const lines = renderScreen(full, { columns: 100, rows });
    expect(lines[2]).toBe(obstacle);
  }
});

test('counts are coloured by state; messages of a service can neither move the cursor nor break a line', () => {
  const full = SCENES['ten thousand items'] ?? scene(seen({}, []));
  vi.stubEnv('FORCE_COLOR', '1');
  const [, counts] = renderScreen(full, { columns: 80, rows: 23 });
  vi.unstubAllEnvs();
  expect(counts).toContain('\u001b[32m6,180 succeeded\u001b[39m  \u001b[31m14 failed');
  const text = shown('ten thousand items', 200, 50).join('\n');
  expect(text).toContain('电荷不对 – Ladung falsch second line\\u{1b}[31m red');
  expect(text).not.toContain('\u001b');
  // What remains after the view is closed.
  const lines = renderClosingLines(full, 80);
  expect(lines).toHaveLength(5);
  expect(lines.at(-1)).toBe('not succeeded  12 JOB_FAILED, 2 RESULT_EMPTY, 2 SUBMIT_UNSURE');
});
