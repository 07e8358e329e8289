/** Whether every command ended as documented in docs/errors.md. */
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
/** The output tree is missing, or is removed: also after the campaign has ended and before its summary is read. */
const GONE = /\[(TREE_NOT_HERE|CAMPAIGN_NOT_PUBLISHED|STORE_[A-Z_]+)\]/;
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
    'commands without an answer, or that failed for no reason',
  ).toEqual([]);
  for (const [i, run] of stage.runs.entries()) lastWord(run, tables[i] ?? []);
}

function isExplained(stage: Stage, ending: Ending): boolean {
  const { name, ended, told } = ending;
  const { code, signal, stderr } = ended;
  const isRun = name.startsWith('run ');
  // Killed, or hit before it could handle signals.
  if (signal !== null) return told.includes(signal as (typeof told)[number]);
  if (told.some((one) => one !== 'SIGKILL') && code === (isRun ? 130 : 0)) return true;
  if (isRun && isSetBack(ended)) return true;
  // Started while its tree was being removed, or after that under a running campaign.
  if (isRun && stage.plan.kind === 'removed' && GONE.test(stderr)) return code === 1 || code === 2;
  if (isRun && (code === 0 || code === 3)) return true;
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

/**
 * If the server is killed, or the host suspended, before the command's work has begun, it did not start: the command
 * says so, and the user repeats it. Later, it must wait.
 */
function isAway({ chronicle, desk }: Stage, { ended, startedAt, endedAt }: Ending): boolean {
  const { stderr } = ended;
  if (/ of \d+ done: |working for/.test(stderr)) return false;
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

/**
 * `pause` and `resume` work as soon as the campaign exists, unless Temporal is away. Commands that only read always end
 * with a document, or with a code.
 */
function isHeard({ chronicle }: Stage, { name, typed, startedAt, ...life }: Control): boolean {
  const { exitCode, signalCode } = typed.child;
  if (exitCode === 0 || life.excused) return true;
  if (!/^(pause|resume) /.test(name))
    return signalCode === null && (CODED.test(typed.stderr + typed.stdout) || name === 'doctor');
  if (exitCode !== 1) return false;
  const now = life.endedAt ?? Date.now();
  const away = chronicle.was(TEMPORAL_AWAY, startedAt, now, GRACE_MS);
  const hostIsNew = chronicle.commands.some(
    (one) => one.name.startsWith('run ') && one.at <= now && now - one.at < HOST_STARTS_MS,
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
