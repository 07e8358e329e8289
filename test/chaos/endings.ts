/** Whether every command ended as documented in docs/operations.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Actor, Ending } from './actor.ts';
import { FOLDERS } from './plan.ts';
import { TEMPORAL_AWAY, WORK_STANDS, type Control, type Stage } from './stage.ts';

type Row = Readonly<Record<string, string>>;

const SAYS_NO_TEMPORAL = /\[TEMPORAL_(NOT_STARTED|NOT_HEALTHY|UNREACHABLE)\]/;
const SAYS_NOBODY_WORKS = /\[(HOST_NOT_READY|WORKER_SILENT)\]/;
const CODED = /\[[A-Z][A-Z0-9_]+\]|"code":"[A-Z]/;
/** The output tree is missing, or is removed. */
const GONE = /\[(TREE_NOT_HERE|STORE_[A-Z_]+)\]/;
/** The effects of a server that was just killed may last a moment longer. */
const GRACE_MS = 5_000;

export function explainedEndings(stage: Stage, tables: readonly (readonly Row[])[]): void {
  const endings = stage.actors.flatMap((actor) => actor.endings);
  const strange = endings.filter((ending) => !isExplained(stage, ending));
  expect(
    strange.map(({ name, told, ended }) => ({ name, told, ...ended })),
    'commands that ended in a way which nothing explains',
  ).toEqual([]);
  const unheard = stage.controls.filter((life) => !isHeard(stage, life));
  expect(
    unheard.map(({ typed }) => typed.story()),
    'pause and resume that failed for no reason',
  ).toEqual([]);
  for (const [i, run] of stage.runs.entries()) {
    // If a name was used again, its table was written again.
    if (stage.encores.length === 0) lastWord(run, tables[i] ?? []);
  }
  for (const encore of stage.encores) everyRowAgain(encore);
}

function isExplained(stage: Stage, ending: Ending): boolean {
  const { name, ended, told } = ending;
  const { code, signal, stderr } = ended;
  const isRun = name.startsWith('run ') || name === 'rival';
  // Killed, or hit before it could handle signals.
  if (signal !== null) return told.includes(signal as (typeof told)[number]);
  if (told.some((one) => one !== 'SIGKILL') && code === (isRun ? 130 : 0)) return true;
  if (isRun && isSetBack(ended)) return true;
  // Started while its tree was being removed, or after that under a running campaign.
  if (isRun && stage.plan.kind === 'removed' && GONE.test(stderr)) return code === 1 || code === 2;
  if (name.startsWith('watch ')) return code === 0 || code === 3 || CODED.test(stderr);
  if (isRun && (code === 0 || code === 3)) return !sharesTree(stage, ending);
  if (isRun && code === 2 && stderr.includes('[TREE_LEASED]')) return meetsOthers(stage, ending);
  if (isRun && code !== null && sharesTree(stage, ending)) return CODED.test(stderr + ended.stdout);
  return code === 1 && isAway(stage, ending);
}

/**
 * The clock was set back by more than a minute: the host of the server ends with a message, and so do those that
 * joined.
 */
function isSetBack({ code, stderr }: Ending['ended']): boolean {
  if (code === 130) return stderr.includes('the clock of this machine was set back');
  return (
    code === 1 && stderr.includes('has a new database') && stderr.includes('[CAMPAIGN_UNKNOWN]')
  );
}

/** Of two that start together, either may win; the other one waits, and may have nothing left to do. */
const RACE_MS = 5_000;
/** A command whose campaign has ended releases the tree before its server and its process stop. */
const STOPS_MS = 5_000;

/** While another command works on its tree, a command must be refused. */
function sharesTree(stage: Stage, ending: Ending): boolean {
  return othersOnTree(stage, ending).some(
    (life) =>
      life.startedAt < ending.startedAt - RACE_MS &&
      life.endedAt - (hasCompleted(life) ? STOPS_MS : 0) > ending.endedAt,
  );
}

const hasCompleted = ({ ended: { code } }: Ending): boolean => code === 0 || code === 3;

/** It may be refused as soon as another one works, even one started later while this one was still checking. */
function meetsOthers(stage: Stage, ending: Ending): boolean {
  return othersOnTree(stage, ending).some(
    (life) => life.startedAt < ending.endedAt && life.endedAt > ending.startedAt,
  );
}

function othersOnTree({ plan, actors }: Stage, { name }: Ending): readonly Ending[] {
  if (!plan.rival) return [];
  const sharers = actors.filter((actor) => actor.name === 'rival' || actor.name.startsWith('run '));
  return sharers.filter((actor) => actor.name !== name).flatMap((actor) => actor.endings);
}

/**
 * If the server is killed, or the host suspended, before the command's work has begun, it did not start: the command
 * says so, and the user repeats it. Later, it must wait.
 */
function isAway({ chronicle, desk }: Stage, { ended, startedAt, endedAt }: Ending): boolean {
  const { stderr } = ended;
  if (/ of \d+: |working for/.test(stderr)) return false;
  if (stderr.includes('[TEMPORAL_NOT_STARTED]') && lostItsPort(desk.folder)) return true;
  const was = (what: string) => chronicle.was(what, startedAt, endedAt, GRACE_MS);
  if (was(TEMPORAL_AWAY) && SAYS_NO_TEMPORAL.test(stderr)) return true;
  return (was(TEMPORAL_AWAY) || was(WORK_STANDS)) && SAYS_NOBODY_WORKS.test(stderr);
}

/** Another program of this machine took the port of a server: not of this round, whose servers take turns. */
function lostItsPort(folder: string): boolean {
  const logs = Object.values(FOLDERS).map((name) =>
    join(folder, name, '.hundredfold', 'temporal.log'),
  );
  return logs.some(
    (log) => existsSync(log) && readFileSync(log, 'utf8').includes('address already in use'),
  );
}

/** The time (ms) that a host may need to become ready on a busy machine; `pause` and `resume` give up earlier. */
const HOST_STARTS_MS = 60_000;

/** `pause` and `resume` work as soon as the campaign exists, unless Temporal is away. */
function isHeard({ chronicle }: Stage, { typed, startedAt, endedAt }: Control): boolean {
  const { exitCode, signalCode } = typed.child;
  if (exitCode === 0 || signalCode === 'SIGKILL') return true;
  if (exitCode !== 1) return false;
  const away = chronicle.was(TEMPORAL_AWAY, startedAt, endedAt ?? Date.now(), GRACE_MS);
  const now = endedAt ?? Date.now();
  const hostIsNew = chronicle.commands.some(
    ({ name, at }) => name.startsWith('run ') && at <= now && now - at < HOST_STARTS_MS,
  );
  if (hostIsNew && typed.stderr.includes('[HOST_NOT_READY]')) return true;
  return typed.stderr.includes('[CAMPAIGN_UNKNOWN]') || (away && /\[[A-Z_]+\]/.test(typed.stderr));
}

/** In the last run of a campaign's command, all items had ended: its output must match the table. */
function lastWord(run: Actor, rows: readonly Row[]): void {
  const last = run.endings.at(-1)?.ended;
  const count = (state: string): number => rows.filter((row) => row['state'] === state).length;
  const items = {
    total: rows.length,
    succeeded: count('succeeded'),
    failed: count('failed'),
    held: count('held'),
    cancelled: 0,
    invalid: 0,
  };
  const expected = items.succeeded === items.total ? 0 : 3;
  expect(last?.code, `exit code of the last ${run.name}`).toBe(expected);
  expect(JSON.parse(last?.stdout ?? 'null'), `document of the last ${run.name}`).toMatchObject({
    state: 'completed',
    items,
  });
}

/** Only a kill in the middle of a submission can keep a row from its result. */
function everyRowAgain({ name, endings }: Actor): void {
  const last = endings.at(-1);
  const wasKilled = endings.some(({ told }) => told.includes('SIGKILL'));
  const story = `${name}: ${JSON.stringify(last?.ended)}`;
  expect(wasKilled ? [0, 3] : [0], story).toContain(last?.ended.code);
}
