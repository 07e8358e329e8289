/** Executes an event of a plan. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../src/temporal/machine.ts';
import type { ProxyMode } from '../crash/proxy.ts';
import { type Deed, type Event, TEMPORAL } from './deeds.ts';
import { runOf } from './plan.ts';
import { type Control, type Stage, TEMPORAL_AWAY, WORK_STANDS } from './stage.ts';
import { isOwnKind, findKind } from '../../src/kinds/registry.ts';

type Of<K extends Deed['do']> = Extract<Deed, { do: K }>;

export async function enact(stage: Stage, event: Event): Promise<void> {
  const { chronicle } = stage;
  const { atMs: _, edgeMs, ...deed } = event;
  if (edgeMs !== undefined) await stage.edges.next(edgeMs);
  chronicle.note(JSON.stringify(deed));
  switch (event.do) {
    case 'end':
      return stage.actor(event.whom).end(event.signal, event.againMs, event.twice);
    case 'kill-temporal':
      return killTemporal(stage, event.againMs);
    case 'restart-services':
      await Promise.all([
        stage.services.end(event.signal, event.againMs),
        stage.plugin.goAway(event.againMs),
      ]);
      return;
    case 'faults':
      for (const one of [stage.faults, stage.lane?.faults]) one?.add(event.rules);
      await delay(event.forMs);
      for (const one of [stage.faults, stage.lane?.faults]) one?.remove(event.rules);
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
    case 'ask':
      await control(stage, ...event.words);
      return;
    case 'kill-all':
      stage.killControls();
      await Promise.all([
        killTemporal(stage, event.againMs),
        stage.plugin.goAway(event.againMs),
        ...stage.actors.map((actor) => actor.end('SIGKILL', event.againMs)),
      ]);
      return;
    case 'forget':
      return forget(stage, event);
    case 'remove':
      return remove(stage, event);
    case 'set-clock':
      stage.clocks.setTo(event.offsetS);
  }
}

async function killTemporal(stage: Stage, againMs: number): Promise<void> {
  const pid = stage.temporalPid();
  if (pid === null) {
    stage.chronicle.note('no Temporal server runs');
    return;
  }
  stage.chronicle.begin(TEMPORAL_AWAY);
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await delay(10);
  if (stage.plan.scenario === 'elsewhere') {
    await delay(againMs);
    return stage.startTemporal();
  }
  // Its host restarts it; without one, the next command. After the last one it is not needed.
  const isNeeded = () => stage.runs.some((run) => !run.isOver);
  while (stage.temporalPid() === null && isNeeded()) await delay(50);
  stage.chronicle.end(TEMPORAL_AWAY);
}

async function cut({ proxies }: Stage, how: ProxyMode, forMs: number): Promise<void> {
  for (const proxy of proxies) proxy.set(how);
  await delay(forMs);
  // Hanging requests are lost, not late: a submission that arrives minutes after its sender has died is stamped
  // when we can no longer count it. The service would refuse the excess; we cannot.
  for (const proxy of proxies) {
    proxy.set('reset');
    proxy.set('pass');
  }
}

/** All at once, so that none notices another one stopped. */
async function freeze(stage: Stage, whom: readonly string[], forMs: number): Promise<void> {
  const { chronicle } = stage;
  const pids = whom.flatMap((name) => {
    const pid = name === TEMPORAL ? stage.temporalPid() : stage.actor(name).pid;
    if (pid === null) chronicle.note(`${name} does not run`);
    return pid ?? [];
  });
  const spells = whom.map((name) => (name === TEMPORAL ? TEMPORAL_AWAY : WORK_STANDS));
  for (const spell of spells) chronicle.begin(spell);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await delay(forMs);
  // They may have been killed meanwhile.
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  for (const spell of spells) chronicle.end(spell);
  chronicle.note(`${whom.join(' and ')} go on`);
}

/** The embedded server's folder is moved away: it is gone for the commands, and its histories are still replayed. */
async function forget(stage: Stage, { againMs }: Of<'forget'>): Promise<void> {
  const { chronicle, desk } = stage;
  chronicle.begin(TEMPORAL_AWAY);
  stage.killControls();
  const pid = stage.temporalPid();
  // Nothing is restarted before the folder has gone.
  const gone = Promise.withResolvers<undefined>();
  const ended = stage.commands.map((actor) => actor.end('SIGKILL', againMs, false, gone.promise));
  if (pid !== null) process.kill(pid, 'SIGKILL');
  while (stage.commands.some((actor) => actor.pid !== null)) await delay(10);
  const left = stage.temporalPid();
  if (left !== null) process.kill(left, 'SIGKILL');
  while (stage.temporalPid() !== null) await delay(10);
  if (existsSync(desk.embedded)) renameSync(desk.embedded, desk.path('forgotten'));
  chronicle.note('.hundredfold is gone');
  gone.resolve(undefined);
  await Promise.all(ended);
  chronicle.end(TEMPORAL_AWAY);
}

/** `rm -rf` of an item's folder, or of the whole tree. */
async function remove(stage: Stage, deed: Of<'remove'>): Promise<void> {
  const { campaign, item, signal, againMs } = deed;
  const rows = stage.plan.campaigns.flatMap((one) => one.rows);
  const kind = rows.find(({ id }) => id === item)?.['kind'];
  // That of a plugin's kind has the name of the kind.
  const folderOf = (name: string) => (isOwnKind(name) ? findKind(name).folder : name);
  const below = item === null || kind === undefined ? '' : `/${folderOf(kind)}/${item}`;
  // Files are still being written there: those after the first pass are removed by the second.
  rmSync(stage.tree(campaign) + below, { recursive: true, force: true, maxRetries: 5 });
  await delay(1_000);
  await stage.actor(runOf(campaign)).end(signal, againMs);
}

/** A command that hangs is killed after this time, and is an answer without a code. */
const ANSWER_TIMEOUT_MS = 90_000;

/** Runs a command that sends something to a campaign, or reads, to its end. */
export async function control(stage: Stage, ...words: readonly string[]): Promise<number> {
  const name = words.join(' ');
  const life: Control = {
    name,
    startedAt: Date.now(),
    typed: stage.type(...words),
    excused: false,
  };
  stage.chronicle.typed(name, life.typed);
  stage.controls.push(life);
  const late = setTimeout(() => life.typed.kill('SIGKILL'), ANSWER_TIMEOUT_MS);
  const { code, signal } = await life.typed.ended;
  clearTimeout(late);
  life.endedAt = Date.now();
  stage.chronicle.note(`${name} ended: ${String(code ?? signal)}`);
  return code ?? -1;
}
