/** Executes a plan: all events at their times, then a calm period in which the commands are repeated until they end. */
import { setTimeout as delay } from 'node:timers/promises';
import { processArguments } from '../cli/command.ts';
import { control, enact } from './enact.ts';
import { Patience } from './patience.ts';
import { runOf } from './plan.ts';
import type { Stage } from './stage.ts';

/** Longer than the longest block (60 s), a stuck job (30 s) and the recovery together. */
const CALM_MS = 180_000;

export interface Played {
  /** The command lines of all processes, checked at intervals. */
  readonly processArguments: string;
  /** Why a campaign did not end in time; null: all did. */
  readonly stuck: string | null;
}

export async function play(stage: Stage): Promise<Played> {
  const seen: string[] = [];
  const { chronicle, plan } = stage;
  for (const actor of stage.commands) actor.start();
  if (plan.kind !== 'storm') await stage.edges.begun();
  const startMs = plan.kind === 'storm' ? 0 : chronicle.nowMs;
  await Promise.all(
    plan.events.map(async (event) => {
      await delay(Math.max(0, startMs + event.atMs - chronicle.nowMs));
      await enact(stage, event);
      seen.push(processArguments());
    }),
  );
  chronicle.note('calm');
  const patience = new Patience(CALM_MS);
  const stuck = await Promise.race([
    patience.over.then(() => `the campaigns have not ended ${CALM_MS / 1000} s after the storm`),
    goOnToTheEnd(stage, patience).then(() => null, String),
  ]);
  patience.end();
  seen.push(processArguments());
  return { processArguments: seen.join('\n'), stuck };
}

async function goOnToTheEnd(stage: Stage, patience: Patience): Promise<void> {
  const { plan, runs } = stage;
  await Promise.all([stage.faults.calm(), stage.lane?.faults.calm()]);
  const paused = new Set(plan.events.flatMap((e) => (e.do === 'pause' ? [e.campaign] : [])));
  for (const campaign of paused) {
    // The last `resume` may have met a server that was away.
    stage.actor(runOf(campaign)).start();
    while (!patience.isOver && (await control(stage, 'resume', campaign)) !== 0) await delay(1_000);
  }
  await Promise.all(runs.map((run) => run.finished()));
  // Run once more: nothing happens, with the same output. Removed items are prepared again, and computed.
  for (const run of runs) {
    run.start();
    await run.finished();
  }
}
