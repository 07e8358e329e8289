/** The SDK's runtime writes its log, and does not wake a worker that waits more than once a second for it. */
import { expect, test, vi } from 'vitest';
import { logTo } from '../../src/telemetry/log-target.ts';
import { startRuntime, workerLog } from '../../src/telemetry/runtime.ts';

test('entries are written, and no timer runs more often than once a second', async () => {
  const started = vi.spyOn(globalThis, 'setInterval');
  const ended = vi.spyOn(globalThis, 'clearInterval');
  const lines: string[] = [];
  logTo((line) => lines.push(line));
  startRuntime();
  workerLog().warn('the first entry');
  await expect.poll(() => lines.join('')).toContain('the first entry');
  workerLog().warn('the second entry');
  await expect.poll(() => lines.join('')).toContain('the second entry');

  const gone = new Set(ended.mock.calls.map(([timer]) => timer));
  const running = started.mock.calls.filter(
    (_, n) => !gone.has(started.mock.results[n]?.value as NodeJS.Timeout),
  );
  expect(running.map(([, ms]) => ms)).toEqual([1_000]);
});
