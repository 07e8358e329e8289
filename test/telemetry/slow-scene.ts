/** A scene whose service answers POSTs slowly: it has accepted the job, and the client does not know yet. */
import { inject, onTestFinished } from 'vitest';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import { freePort } from '../../src/temporal/machine.ts';
import type { Desk } from '../cli/command.ts';
import { GoBetween } from '../workflows/go-between.ts';
import { scene, services, type Scene } from './operated-worker.ts';

/** The grace period that a scheduler must give a worker, docs/workers.md. */
export const STOP_TIMEOUT_MS = 45_000;

interface SlowScene {
  readonly set: Scene;
  /** What is in front of the services. */
  readonly slow: GoBetween;
  /** Ends the services, and returns the submissions. */
  readonly submitted: () => Promise<JournalEntry[]>;
}

/** @param ms additional delay of the answer to a POST */
export async function slowScene(at: Desk, ms: number): Promise<SlowScene> {
  const port = await freePort();
  const slow = await GoBetween.open(`http://127.0.0.1:${port}`);
  onTestFinished(() => slow.close());
  slow.postDelayMs = ms;
  const set: Scene = { ...(await scene(at, inject('temporal'), slow.url)), port };
  const served = await services(at, set);
  const submitted = async (): Promise<JournalEntry[]> => {
    served.kill('SIGTERM');
    await served.endsWith(0);
    return at.journal(at.path('services.db'));
  };
  return { set, slow, submitted };
}
