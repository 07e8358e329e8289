/** Does what a plan says: all events at their times, then calm, then the commands are typed until they end. */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../src/temporal/processes.ts';
import { processArguments } from '../cli/process-arguments.ts';
import { runOf, type Cut, type Event } from './plan.ts';
import { TEMPORAL_AWAY, type Control, type Stage } from './stage.ts';

/** Longer than the longest block (60 s), a stuck job (30 s) and the way home together. */
const CALM_MS = 180_000;

export interface Played {
  /** The command lines of all processes, looked at now and then. */
  readonly processArguments: string;
}

export async function play(stage: Stage): Promise<Played> {
  const seen: string[] = [];
  for (const actor of [...stage.workers, ...stage.runs]) actor.start();
  const { chronicle, plan } = stage;
  await Promise.all(
    plan.events.map(async (event) => {
      await delay(Math.max(0, event.atMs - chronicle.nowMs));
      await enact(stage, event);
      seen.push(processArguments());
    }),
  );
  chronicle.tell('calm');
  await calm(stage);
  seen.push(processArguments());
  return { processArguments: seen.join('\n') };
}

async function enact(stage: Stage, event: Event): Promise<void> {
  const { chronicle } = stage;
  const { atMs: _, ...deed } = event;
  chronicle.tell(JSON.stringify(deed));
  switch (event.do) {
    case 'end':
      return stage.actor(event.whom).end(event.signal, event.againMs, event.twice);
    case 'kill-temporal':
      return killTemporal(stage, event.againMs);
    case 'restart-services':
      return stage.services.end(event.signal, event.againMs);
    case 'faults':
      stage.faults.add(event.rules);
      await delay(event.forMs);
      stage.faults.remove(event.rules);
      return;
    case 'cut':
      await cut(stage, event.cut, event.forMs);
      return;
    case 'freeze':
      return freeze(stage, event.whom, event.forMs);
    case 'pause':
      await control(stage, 'pause', event.campaign);
      await delay(event.forMs);
      await control(stage, 'resume', event.campaign);
      return;
    case 'kill-all':
      for (const { typed } of stage.controls) if (typed.running) typed.kill('SIGKILL');
      await Promise.all([
        killTemporal(stage, event.againMs),
        ...stage.actors.map((actor) => actor.end('SIGKILL', event.againMs)),
      ]);
  }
}

async function killTemporal(stage: Stage, againMs: number): Promise<void> {
  const pid = stage.temporalPid();
  if (pid === null) {
    stage.chronicle.tell('no Temporal server runs');
    return;
  }
  stage.chronicle.begin(TEMPORAL_AWAY);
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await delay(10);
  if (stage.plan.scenario === 'elsewhere') {
    await delay(againMs);
    return stage.startTemporal();
  }
  // Whoever holds it starts it again; where nobody does, the next command. After the last one nobody needs it.
  const isNeeded = () => stage.runs.some((run) => !run.isOver);
  while (stage.temporalPid() === null && isNeeded()) await delay(50);
  stage.chronicle.end(TEMPORAL_AWAY);
}

async function cut({ proxy }: Stage, how: Cut, forMs: number): Promise<void> {
  proxy.set(how);
  await delay(forMs);
  // What hung is lost, not late: a submission that arrives after its sender has died, minutes later, is stamped when
  // nobody can count it any more. The service refuses what is too much then; we cannot.
  proxy.set('reset');
  proxy.set('pass');
}

async function freeze(stage: Stage, whom: string, forMs: number): Promise<void> {
  const { pid } = stage.actor(whom);
  if (pid === null) {
    stage.chronicle.tell(`${whom} does not run`);
    return;
  }
  process.kill(pid, 'SIGSTOP');
  await delay(forMs);
  // It may have been killed meanwhile.
  if (isAlive(pid)) process.kill(pid, 'SIGCONT');
}

async function control(stage: Stage, verb: 'pause' | 'resume', campaign: string): Promise<number> {
  const name = `${verb} ${campaign}`;
  const startedAt = Date.now();
  const typed = stage.type(verb, campaign);
  stage.chronicle.typed(name, typed);
  const life: Control = { name, startedAt, typed, endedAt: null };
  stage.controls.push(life);
  const { code, signal } = await typed.ended;
  life.endedAt = Date.now();
  stage.chronicle.tell(`${name} ended: ${String(code ?? signal)}`);
  return code ?? -1;
}

async function calm(stage: Stage): Promise<void> {
  const giveUp = AbortSignal.timeout(CALM_MS);
  const late = new Promise<never>((_, reject) => {
    giveUp.addEventListener('abort', () => {
      reject(new Error(`the campaigns have not ended ${CALM_MS / 1000} s after the storm`));
    });
  });
  await Promise.race([late, goOnToTheEnd(stage, giveUp)]);
}

async function goOnToTheEnd(stage: Stage, giveUp: AbortSignal): Promise<void> {
  const { plan, runs } = stage;
  await stage.faults.calm();
  const paused = new Set(plan.events.flatMap((e) => (e.do === 'pause' ? [e.campaign] : [])));
  for (const campaign of paused) {
    // The last `resume` may have met a server that was away.
    stage.actor(runOf(campaign)).start();
    while (!giveUp.aborted && (await control(stage, 'resume', campaign)) !== 0) await delay(1_000);
  }
  await Promise.all(runs.map((run) => run.finished()));
  // Typed once more: nothing happens, and the same is said.
  for (const run of runs) {
    run.start();
    await run.finished();
  }
}
