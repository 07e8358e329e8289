/** Simulates the duration of a real job: reports phases, sends heartbeats, ends immediately on abort. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineContext } from './engine.ts';

/** Takes `ms` milliseconds. Rejects with the signal's reason when aborted. */
export async function pace(ms: number, context: EngineContext): Promise<void> {
  context.progress(30, 'running predictions');
  await beatFor(ms / 2, context);
  context.progress(40, 'running predictions');
  await beatFor(ms / 2, context);
}

async function beatFor(ms: number, context: EngineContext): Promise<void> {
  const end = performance.now() + ms;
  for (let left = ms; left > 0; left = end - performance.now()) {
    await sleep(Math.min(left, context.heartbeatEveryMs), undefined, { signal: context.signal });
    context.heartbeat();
  }
}
