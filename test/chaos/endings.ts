/** Whether every command ended as docs/operations.md says it does. */
import { expect } from 'vitest';
import type { Actor, Ending } from './actor.ts';
import { TEMPORAL_AWAY, type Control, type Stage } from './stage.ts';

type Row = Readonly<Record<string, string>>;

const SAYS_NO_TEMPORAL = /\[TEMPORAL_(NOT_STARTED|NOT_HEALTHY|UNREACHABLE)\]/;
/** A server that was just killed may still be missed for a moment. */
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
  for (const [i, run] of stage.runs.entries()) lastWord(run, tables[i] ?? []);
}

function isExplained({ chronicle }: Stage, ending: Ending): boolean {
  const { name, ended, told, startedAt, endedAt } = ending;
  const { code, signal, stderr } = ended;
  const isRun = name.startsWith('run ');
  // Killed, or struck before it could listen to signals.
  if (signal !== null) return told.includes(signal as (typeof told)[number]);
  if (told.some((one) => one !== 'SIGKILL') && code === (isRun ? 130 : 0)) return true;
  if (isRun && (code === 0 || code === 3)) return true;
  // A server that is killed before the command's work has begun is one that did not start: that is said, and the
  // user types again. Later, it must be waited for.
  const begun = / of \d+: |working for/.test(stderr);
  const away = chronicle.was(TEMPORAL_AWAY, startedAt, endedAt, GRACE_MS);
  return away && !begun && code === 1 && SAYS_NO_TEMPORAL.test(stderr);
}

/** `pause` and `resume` work as soon as the campaign is there, unless Temporal is away. */
function isHeard({ chronicle }: Stage, { typed, startedAt, endedAt }: Control): boolean {
  const { exitCode, signalCode } = typed.child;
  if (exitCode === 0 || signalCode === 'SIGKILL') return true;
  if (exitCode !== 1) return false;
  const away = chronicle.was(TEMPORAL_AWAY, startedAt, endedAt ?? Date.now(), GRACE_MS);
  return typed.stderr.includes('[CAMPAIGN_UNKNOWN]') || (away && /\[[A-Z_]+\]/.test(typed.stderr));
}

/** The last time a campaign's command was typed, all had ended: what it says must be what the table says. */
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
