/** Sets the clock of another process, and nothing else. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { setClockOffset, whyClocksStand } from './clock.ts';

/** Prints its wall clock and its monotonic clock, in ms, on request. */
const PRINTS_CLOCKS = `process.stdin.on('data', () => console.log(Date.now(), performance.now()))`;

test.skipIf(whyClocksStand() !== null)('a process reads its own clock', async () => {
  const child = spawn(process.execPath, ['-e', PRINTS_CLOCKS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = child.pid ?? -1;
  const before = await clocksOf(child);
  expect(Math.abs(before.wall - Date.now())).toBeLessThan(5_000);
  for (const offsetS of [3_600, -3_600, 10, 0]) {
    expect(await setClockOffset(pid, offsetS)).toBe(true);
    const after = await clocksOf(child);
    expect(Math.abs(after.wall - Date.now() - offsetS * 1_000)).toBeLessThan(5_000);
    expect(after.monotonic - before.monotonic).toBeGreaterThan(0);
    expect(after.monotonic - before.monotonic).toBeLessThan(60_000);
  }
});

test.skipIf(whyClocksStand() !== null)('a process that has ended has no clock', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((ended) => child.once('close', ended));
  expect(await setClockOffset(child.pid ?? -1, 10)).toBe(false);
});

async function clocksOf(child: ChildProcess): Promise<{ wall: number; monotonic: number }> {
  if (!child.stdin || !child.stdout) throw new Error('it was started with pipes');
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve) => lines.once('line', resolve));
  child.stdin.write('now\n');
  const [wall = 0, monotonic = 0] = (await line).split(' ').map(Number);
  lines.close();
  return { wall, monotonic };
}
