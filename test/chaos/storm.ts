/** Executes a plan: all events at their times, then a calm period in which the commands are repeated until they end. */
import { setTimeout as delay } from 'node:timers/promises';
import { processArguments } from '../cli/process-arguments.ts';
import { playEncores } from './encores.ts';
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
  if (plan.faults.length > 0) await stage.faults.begin(plan.faults);
  for (const actor of [...stage.workers, ...stage.runs]) actor.start();
  if (plan.askEveryMs !== null) stage.questions.start(plan.askEveryMs);
  for (const actor of stage.rivals) actor.start();
  if (plan.kind !== 'storm') await stage.edges.begun();
  for (const actor of stage.watchers) actor.start();
  const startMs = plan.kind === 'storm' ? 0 : chronicle.nowMs;
  await Promise.all(
    plan.events.map(async (event) => {
      await delay(Math.max(0, startMs + event.atMs - chronicle.nowMs));
      await enact(stage, event);
      seen.push(processArguments());
    }),
  );
  chronicle.note('calm');
  let stuck: string | null = null;
  try {
    await calm(stage);
    await playEncores(stage);
  } catch (error) {
    stuck = error instanceof Error ? error.message : String(error);
  }
  seen.push(processArguments());
  return { processArguments: seen.join('\n'), stuck };
}

async function calm(stage: Stage): Promise<void> {
  const patience = new Patience(CALM_MS);
  const late = patience.over.then(() => {
    throw new Error(`the campaigns have not ended ${CALM_MS / 1000} s after the storm`);
  });
  try {
    await Promise.race([late, goOnToTheEnd(stage, patience)]);
  } finally {
    patience.end();
  }
}

async function goOnToTheEnd(stage: Stage, patience: Patience): Promise<void> {
  const { plan, runs } = stage;
  await stage.faults.calm();
  const paused = new Set(plan.events.flatMap((e) => (e.do === 'pause' ? [e.campaign] : [])));
  for (const campaign of paused) {
    // The last `resume` may have met a server that was away.
    stage.actor(runOf(campaign)).start();
    while (!patience.isOver && (await control(stage, 'resume', campaign)) !== 0) await delay(1_000);
  }
  await Promise.all(runs.map((run) => run.finished()));
  // What has ended in a database that was removed since cannot be watched: it is not run again.
  for (const watcher of stage.watchers) watcher.abandon();
  await Promise.all([...stage.rivals, ...stage.watchers].map((actor) => actor.finished()));
  // Run once more: nothing happens, with the same output. Removed items are prepared again, and computed.
  for (const run of runs) {
    run.start();
    await run.finished();
  }
}
