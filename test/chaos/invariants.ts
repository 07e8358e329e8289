/** What must hold after any storm: the promises of docs/architecture.md, and other expectations of users. */
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'vitest';
import type { JournalEntry } from '../../src/local-services/journal.ts';
import { itemsTable, neverOverBudget, noItemLost, noSecret, treeIsWhole } from '../promises.ts';
import { treeOf } from './encores.ts';
import { explainedEndings } from './endings.ts';
import { inForce } from './fault-control.ts';
import { atMostOneJobALife } from './lives.ts';
import { FOLDERS } from './plan.ts';
import { allReplayable } from './replayed.ts';
import { readJobs, type ServiceJob } from './service-records.ts';
import { TOKENS } from './setting.ts';
import { readableByOthers } from './squatter.ts';
import type { Stage } from './stage.ts';
import { explainedStates, sentIfHeld } from './states.ts';
import type { Played } from './storm.ts';

export interface Outcome {
  readonly journal: readonly JournalEntry[];
  readonly jobs: readonly ServiceJob[];
  /** The violations, a text each; empty if all holds. */
  readonly broken: readonly string[];
  /** Items by state and code. */
  readonly items: Readonly<Record<string, number>>;
}

/** Called after every process has ended. */
export async function judge(stage: Stage, played: Played): Promise<Outcome> {
  const { desk, plan } = stage;
  const journal = desk.journal(desk.path('services.db'));
  const jobs = readJobs(desk.path('services.db'));
  const trees = treesOf(stage);
  const rows = await Promise.all(trees.map(({ tree }) => tableOf(tree)));
  const checks: (() => unknown)[] = [
    () => allReplayable(desk.folder),
    () => stage.questions.allAnswered(),
    () => budgetKept(stage, journal),
    () => neverSentInVain(stage, journal),
    () => atMostOneJobALife(plan, heardOf(journal, jobs)),
    ...trees.map(
      ({ tree, ids }) =>
        () =>
          noItemLost(tree, ids),
    ),
    ...trees.map(
      ({ tree }) =>
        () =>
          treeIsWhole(tree),
    ),
    () => explainedStates(stage, rows.flat(), jobs, journal),
    () => sentIfHeld(stage, rows.flat(), journal),
    () => explainedEndings(stage, rows),
    () => tokensKept(stage, played),
    () => othersKeptOut(stage),
    () => nothingLeft(desk.folder),
  ];
  const broken: string[] = played.stuck === null ? [] : [played.stuck];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      broken.push(wordsOf(error));
    }
  }
  const items: Record<string, number> = {};
  for (const { state, error_code: code } of rows.flat()) {
    const key = [state, code].filter(Boolean).join(' ');
    items[key] = (items[key] ?? 0) + 1;
  }
  return { journal, jobs, broken, items };
}

/** The actual value is in the error, not in its message. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const found = 'actual' in error ? `\n${JSON.stringify(error.actual, null, 2)}` : '';
  return error.message.split(': expected')[0] + found;
}

interface Tree {
  /** Its folder. */
  readonly tree: string;
  /** The rows that it must contain. */
  readonly ids: readonly string[];
}

/** Those of the campaigns, in the plan's order, and one for each name that was used again in another folder. */
function treesOf(stage: Stage): Tree[] {
  const { campaigns, encores } = stage.plan;
  const first = campaigns.slice(0, 1);
  const elsewhere = encores.filter(({ how }) => how === 'elsewhere');
  const again = elsewhere.flatMap((encore) =>
    first.map(({ name, rows }) => ({ tree: treeOf(stage, encore, name), rows })),
  );
  return [...campaigns.map(({ name, rows }) => ({ tree: stage.tree(name), rows })), ...again].map(
    ({ tree, rows }) => ({ tree, ids: rows.map(({ id }) => id) }),
  );
}

/** A missing table has no rows; `noItemLost` reports that it is missing. */
async function tableOf(tree: string): Promise<Record<string, string>[]> {
  return itemsTable(tree).catch(() => []);
}

function budgetKept({ plan }: Stage, journal: readonly JournalEntry[]): void {
  const { limit, moleculeLimit, windowMs } = plan.service;
  neverOverBudget(journal, { limit, windowMs });
  if (moleculeLimit === null) return;
  // The promise names the service that has a limit by contract; here the other one has one, too.
  const molecules = journal.filter(({ service }) => service === 'molecules');
  const asIf = molecules.map((entry) => ({ ...entry, service: 'predictions' as const }));
  neverOverBudget(asIf, { limit: moleculeLimit, windowMs });
}

/**
 * The service never had to refuse for rate. A 429 is excused if the fault `rate-limit` was in force and the window was
 * not full by the journal's stamps: then it came from the fault. Beyond that, nothing at all may arrive while the
 * window is full, whatever the answer.
 */
function neverSentInVain({ plan, chronicle }: Stage, journal: readonly JournalEntry[]): void {
  const { limit, moleculeLimit, windowMs } = plan.service;
  const limits = { predictions: limit, molecules: moleculeLimit };
  const inVain = journal.filter((entry, i) => {
    const most = limits[entry.service];
    const inWindow = journal
      .slice(0, i)
      .filter((e) => e.accepted && e.service === entry.service && e.at > entry.at - windowMs);
    return most !== null && inWindow.length >= most;
  });
  expect(inVain, 'submissions that arrived while the window was full').toEqual([]);
  const refused = journal.filter(
    ({ status, at }) => status === 429 && !chronicle.was(inForce('rate-limit'), at, at),
  );
  expect(refused, 'submissions answered with 429, and no fault to excuse it').toEqual([]);
}

/**
 * A job that the service lost frees its name: if the answer to it was lost, too, our side cannot know of it, and a
 * second one under its name is right.
 */
function heardOf(journal: readonly JournalEntry[], jobs: readonly ServiceJob[]): JournalEntry[] {
  const known = new Set(jobs.map(({ id }) => id));
  return journal.filter(({ requestId }) => requestId === null || known.has(requestId));
}

/** Everywhere except in the database of the services, which received the tokens. */
async function tokensKept(stage: Stage, played: Played): Promise<void> {
  const { desk } = stage;
  const second = ['results', '.hundredfold'].map((name) => `${FOLDERS.second}/${name}`);
  const own = ['results', 'other-results', '.hundredfold', 'forgotten', 'temporal', 'state'];
  const folders = [...own, ...second].map((name) => desk.path(name));
  for (const token of Object.values(TOKENS)) {
    for (const folder of folders.filter(existsSync)) {
      await noSecret(token, folder, texts(stage, played));
    }
  }
}

/** Another user of the machine can read no token, and could not make us write through a link. */
function othersKeptOut({ desk, squatter }: Stage): void {
  if (squatter === null) return;
  squatter.madeUsWriteNothing();
  readableByOthers(desk.folder, Object.values(TOKENS));
}

function texts({ chronicle }: Stage, { processArguments }: Played): Record<string, string> {
  const said = chronicle.commands.map(({ name, typed }, n): [string, string] => [
    `what ${name} (${n}) printed`,
    `${typed.stdout}\n${typed.stderr}`,
  ]);
  return { 'process arguments': processArguments, ...Object.fromEntries(said) };
}

/** No process works in the round's folder, or has it among its arguments. */
function nothingLeft(folder: string): void {
  const left = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const works = readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return works || words.includes(folder) ? [`${pid}: ${words}`] : [];
      } catch {
        return []; // ended meanwhile
      }
    });
  expect(left, 'processes left behind').toEqual([]);
}
