/** A worker whose clock is minutes away from that of the Temporal server, on another host. */
import { describe, expect, test } from 'vitest';
import type { PollOutcome } from '../../src/domain/outcomes.ts';
import { pollOnce } from './a-poll.ts';

const MINUTES = 60_000;

const RUNNING = { type: 'running', timing: null, retryAfterMs: null } as unknown as PollOutcome;

interface Asked {
  readonly ahead: number;
  readonly attempt: number;
  readonly age: number;
}

/** The delay until the next poll of a running job (ms), and the duration of this one. */
async function look(asked: Asked): Promise<{ again: number; took: number }> {
  const { ended, took } = await pollOnce({ ...asked, answers: [RUNNING] });
  expect(ended).toMatchObject({ type: 'NotYet' });
  const { nextRetryDelay } = ended as { nextRetryDelay: number };
  return { again: nextRetryDelay, took };
}

describe.each([-7 * MINUTES, 0, 5 * MINUTES])('a clock that is %d ms ahead', (ahead) => {
  test('does not delay the first poll of a job or the next one', async () => {
    const { again, took } = await look({ ahead, attempt: 1, age: 0 });
    expect(again).toBeLessThan(1_000);
    // Up to 5 s of waits belong to one attempt; the clocks are minutes apart.
    expect(took).toBeLessThan(MINUTES);
  });

  test('does not end a job before its deadline, and does not poll it more often than its age requires', async () => {
    const { again } = await look({ ahead, attempt: 3, age: 20_000 });
    expect(again).toBeGreaterThanOrEqual(2_000);
    expect(again).toBeLessThan(3_000);
  });
});
