/** What must hold after any storm: the promises of docs/promises.md, and other expectations of users. */
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import { isOwnKind } from '../../src/kinds/registry.ts';
import { itemsTable, neverOverBudget, noItemLost, noSecret, treeIsWhole } from '../promises.ts';
import { explainedEndings } from './endings.ts';
import { inForce } from './fault-control.ts';
import { FOLDERS, type Plan } from './plan.ts';
import { PLUGINS } from './plugin-service.ts';
import { allReplayable } from './replayed.ts';
import { LANE_DATABASE, pluginWindows, TOKENS } from './setting.ts';
import type { Stage } from './stage.ts';
import { explainedStates, sentIfHeld, type ServiceJob } from './states.ts';
import type { Played } from './storm.ts';

/** As both example plugins say. */
const MAX_OPEN = 5;

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
  const local = desk.journal(desk.path('services.db'));
  const localJobs = readJobs(desk.path('services.db'));
  const lane = plan.lane ? desk.journal(desk.path(LANE_DATABASE)) : [];
  const laneJobs = plan.lane ? readJobs(desk.path(LANE_DATABASE)) : [];
  const journal = [...local, ...lane, ...stage.plugin.journal()];
  const jobs = [...localJobs, ...laneJobs, ...stage.plugin.jobs()];
  const trees = plan.campaigns.map(({ name, rows }) => ({ tree: stage.tree(name), rows }));
  // A missing table has no rows; `noItemLost` reports that it is missing.
  const tables = await Promise.all(trees.map(({ tree }) => itemsTable(tree).catch(() => [])));
  const rows = tables.flat();
  const checks: (() => unknown)[] = [
    () => allReplayable(desk.folder),
    () => budgetKept(plan, local),
    () => neverSentInVain(stage, local),
    () => {
      const [own, others] = [heardOf(local, localJobs), heardOf(lane, laneJobs)];
      // Neither gets a row once more: the lane has given it back, or the service has got it since.
      for (const heard of [own, others]) atMostOneJobALife(plan, heard, []);
      atMostOneJobALife(plan, [...own, ...others], listGivenBack(lane, laneJobs));
    },
    () => pluginKept(stage),
    ...trees.flatMap((one) => [
      () => noItemLost(one.tree, ids(one.rows)),
      () => treeIsWhole(one.tree),
    ]),
    () => explainedStates(plan, rows, jobs, journal),
    () => sentIfHeld(plan, rows, journal),
    () => explainedEndings(stage, tables),
    () => tokensKept(stage, played),
    () => nothingLeft(desk.folder),
  ];
  const broken: string[] = played.stuck === null ? [] : [played.stuck];
  for (const check of checks) await attempt(broken, check);
  return { journal, jobs, broken, items: countEnds(rows) };
}

const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** Adds the violation to `broken`. The actual value is in the error, not in its message. */
export async function attempt(broken: string[], check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Error)) return void broken.push(String(error));
    const found = 'actual' in error ? `\n${JSON.stringify(error.actual, null, 2)}` : '';
    broken.push((error.message.split(': expected')[0] ?? '') + found);
  }
}

/** Items by state and code. */
export function countEnds(rows: readonly Record<string, string>[]): Record<string, number> {
  const items: Record<string, number> = {};
  for (const { state, error_code: code } of rows) {
    const key = [state, code].filter(Boolean).join(' ');
    items[key] = (items[key] ?? 0) + 1;
  }
  return items;
}

/** The services' own records of their jobs. */
function readJobs(file: string): ServiceJob[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT id, service, state, fault, error FROM jobs').all();
    return rows as unknown as ServiceJob[];
  } finally {
    database.close();
  }
}

function budgetKept({ service }: Plan, journal: readonly JournalEntry[]): void {
  const { limit, moleculeLimit, windowMs } = service;
  neverOverBudget(journal, { limit, windowMs });
  if (moleculeLimit === null) return;
  // The promise names the service that has a limit by contract; here the other one has one, too.
  const molecules = journal.filter((entry) => entry.service === 'molecules');
  const asIf = molecules.map((entry) => ({ ...entry, service: 'predictions' as const }));
  neverOverBudget(asIf, { limit: moleculeLimit, windowMs });
}

/**
 * The service never had to refuse for rate. A 429 is excused if the fault `rate-limit` was in force and the window was
 * not full by the journal's stamps: then it came from the fault. Beyond that, nothing at all may arrive while the
 * window is full, whatever the answer; but for a name that the service has, and whose job its list has left out since:
 * by that list both submissions are one job.
 */
function neverSentInVain({ plan, chronicle }: Stage, journal: readonly JournalEntry[]): void {
  const { limit, moleculeLimit, windowMs } = plan.service;
  const limits = { predictions: limit, molecules: moleculeLimit };
  const inVain = journal.filter((entry, i) => {
    const most = limits[entry.service];
    const inWindow = journal
      .slice(0, i)
      .filter((e) => e.accepted && e.service === entry.service && e.at > entry.at - windowMs);
    const first = journal.slice(0, i).find((e) => e.accepted && e.jobName === entry.jobName);
    const isDenied = chronicle.was(inForce('forget-past-results'), first?.at ?? 0, entry.at);
    const isExcused = !entry.accepted && first !== undefined && isDenied;
    return most !== null && inWindow.length >= most && !isExcused;
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

/**
 * At most one job in each life of an item: by name if jobs have names, otherwise by their number. A row whose files
 * were removed starts another life: its previous job is unknown.
 */
function atMostOneJobALife(
  plan: Plan,
  journal: readonly JournalEntry[],
  givenBack: readonly string[],
): void {
  const lives = countLives(plan);
  // A job whose engine was killed in the lane is followed by another.
  for (const id of givenBack) lives.set(id, (lives.get(id) ?? 0) + 1);
  const accepted = journal.filter((entry) => entry.accepted);
  const names = Map.groupBy(
    accepted.flatMap(({ jobName }) => jobName ?? []),
    idIn,
  );
  const tooMany = [...names].filter(([id, of]) => of.length > (lives.get(id) ?? 0));
  expect(tooMany, 'names accepted more often than their item has lived').toEqual([]);
  const rows = plan.campaigns.flatMap((campaign) => campaign.rows);
  for (const service of ['molecules', 'predictions'] as const) {
    const own = rows.filter(({ kind = '' }) => service === serviceOfKind(kind));
    const most = own.reduce((sum, { id }) => sum + (lives.get(id) ?? 0), 0);
    const jobs = accepted.filter((entry) => entry.service === service);
    expect(jobs.length, `accepted jobs of the service for ${service}`).toBeLessThanOrEqual(most);
  }
}

/** Of `CAMPAIGN.ID.DIGEST`; a molecule's job has the name of its row. */
function idIn(jobName: string): string {
  return jobName.split('.')[1] ?? jobName;
}

/** The ids of the rows of jobs whose engine was killed. */
function listGivenBack(journal: readonly JournalEntry[], jobs: readonly ServiceJob[]): string[] {
  const killed = new Set(jobs.flatMap(({ id, fault }) => (fault === 'kill-engine' ? [id] : [])));
  return journal.flatMap(({ requestId, jobName }) =>
    requestId !== null && killed.has(requestId) ? [idIn(jobName ?? '')] : [],
  );
}

function serviceOfKind(kind: string): string | null {
  if (!isOwnKind(kind)) return null;
  return kind === 'molecule' ? 'molecules' : 'predictions';
}

/** The lives of each row: one, and one more for each time its files were removed. */
function countLives({ campaigns, events }: Plan): Map<string, number> {
  const lives = new Map<string, number>();
  for (const { name, rows } of campaigns) {
    const removed = events.flatMap((e) =>
      e.do === 'remove' && e.campaign === name ? [e.item] : [],
    );
    for (const { id } of rows)
      lives.set(id, 1 + removed.filter((item) => item === null || item === id).length);
  }
  return lives;
}

/** The same for the service of the plugin: its windows, its open jobs, its 429s, one job for each life of a row. */
function pluginKept({ plan, plugin }: Stage): void {
  const journal = plugin.journal();
  for (const window of pluginWindows(plan)) neverOverBudget(plugin.counted(), window);
  const refused = journal.filter(({ status }) => status === 429);
  expect(refused, `submissions that the service of ${plan.plugin} answered with 429`).toEqual([]);
  // Where only one budget knows of the open jobs.
  if (plan.kind !== 'credential' && plan.kind !== 'forgotten')
    expect(plugin.mostOpen, `jobs of ${plan.plugin} open at a time`).toBeLessThanOrEqual(MAX_OPEN);
  const { column } = PLUGINS[plan.plugin];
  const lives = countLives(plan);
  const rows = new Map(
    plan.campaigns.flatMap((one) => one.rows.map((row) => [row[column] ?? '', row.id])),
  );
  const tooMany = [...Map.groupBy(plugin.jobs(), ({ input }) => input)].filter(
    ([input, jobs]) => jobs.length > (lives.get(rows.get(input) ?? '') ?? 0),
  );
  expect(tooMany, `jobs of ${plan.plugin} for one row`).toEqual([]);
}

/** Everywhere except in the database of the services, which received the tokens. */
async function tokensKept({ desk, chronicle }: Stage, played: Played): Promise<void> {
  const own = ['results', '.hundredfold', 'forgotten', 'temporal', 'state'];
  const second = ['results', '.hundredfold'].map((name) => `${FOLDERS.second}/${name}`);
  const said = chronicle.commands.map(({ name, typed }, n) => [
    `what ${name} (${n}) printed`,
    `${typed.stdout}\n${typed.stderr}`,
  ]);
  const texts = { 'process arguments': played.processArguments, ...Object.fromEntries(said) };
  for (const folder of [...own, ...second].map((name) => desk.path(name)).filter(existsSync))
    for (const token of Object.values(TOKENS)) await noSecret(token, folder, texts);
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
