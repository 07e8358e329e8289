/**
 * How a campaign goes: its own counts, the budgets it uses, and whether a worker takes its tasks.
 *
 * The workflow writes its progress into its memo and returns it at its end. It is not queried: a worker that answers a
 * query while another one has a task of the same workflow may produce a history that cannot be replayed (SDK 1.24.0;
 * docs/decisions.md).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { readBudget } from '../activities/budget-run.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { CampaignProgress, ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { Deadline } from '../domain/process.ts';
import type { Session } from '../temporal/host/session.ts';
import type { CampaignDocument } from '../report/campaign-summary.ts';
import { countRows, type RowCounts } from '../store/prepared-campaign.ts';
import { nullIfUnreadable } from '../store/store.ts';
import { isClosedPart, isRecent, readHeartbeats } from '../temporal/namespace.ts';
import { type Stuck, findStuck } from '../temporal/stuck.ts';
import type { campaign } from '../workflows/index.ts';
import { PROGRESS_MEMO } from '../workflows/messages.ts';
import { buildBudgetWorkflowId, ATTRIBUTES } from '../workflows/names.ts';
import {
  type CampaignLine,
  describeCampaign,
  getCampaignHandle,
  readCampaignLine,
} from './find.ts';
import { findObstacle, explainStandstill } from './obstacles.ts';
import { describeLateItems, findHindrance } from './items.ts';
import { openTreeIfAny, type OutputTree } from './tree.ts';

export interface CampaignObservation {
  readonly at: number;
  readonly progress: CampaignProgress;
  /** Open items that wait for a slot; the others are submitted. */
  readonly waiting: number;
  /** Those that the campaign uses. */
  readonly budgets: readonly BudgetStatus[];
  /** What the rows of the tree are; null where the tree cannot be read from here. */
  readonly kinds: RowCounts | null;
  /** What blocks it until the user acts, and what to do: a sentence. */
  readonly obstacle: string | null;
  /** Why some of its items wait while the others go on, and which jobs are late: sentences. */
  readonly hindered: string | null;
  /** The workflow has ended. */
  readonly ended: boolean;
  /** … by itself: everything is on disk. */
  readonly completed: boolean;
}

export interface Observed {
  readonly name: string;
  /** Its output tree. */
  readonly folder: string;
}

/** One look. `known`: its description, if the caller has just read it. */
export async function observe(
  session: Session,
  observed: Observed,
  known?: WorkflowExecutionDescription,
): Promise<CampaignObservation> {
  const found = known ?? (await describeCampaign(session.client, observed.name));
  return new Observer(session, observed).lookAt(await waitIfOverdue(session.client, found));
}

/** How often obstacles are looked for: it takes several calls. */
const OBSTACLE_INTERVAL_MS = 2_000;

/** How often items are asked why they wait. */
const HINDRANCES_INTERVAL_MS = 10_000;

/** How often the records of running jobs are compared with those of ended ones. */
const LATE_INTERVAL_MS = 60_000;

/** What was found last, for as long as it is not looked for again. */
class Recent {
  readonly #intervalMs: number;
  #found: { readonly at: number; readonly words: string | null } | null = null;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  async read(look: () => Promise<string | null>): Promise<string | null> {
    if (this.#found === null || Date.now() - this.#found.at >= this.#intervalMs) {
      const words = await look();
      this.#found = { at: Date.now(), words };
    }
    return this.#found.words;
  }
}

/** Polls repeatedly, and asks only for what may have changed. */
export class Observer {
  readonly #session: Session;
  readonly #observed: Observed;
  readonly #obstacles = new Recent(OBSTACLE_INTERVAL_MS);
  readonly #hindrances = new Recent(HINDRANCES_INTERVAL_MS);
  readonly #late = new Recent(LATE_INTERVAL_MS);
  #counted: { readonly total: number; readonly kinds: RowCounts | null } | null = null;

  constructor(session: Session, observed: Observed) {
    this.#session = session;
    this.#observed = observed;
  }

  /** @throws HundredfoldError `WORKER_SILENT`, `CAMPAIGN_UNREPLAYABLE` */
  async look(): Promise<CampaignObservation> {
    const handle = getCampaignHandle(this.#session.client, this.#observed.name);
    return this.lookAt(await handle.describe());
  }

  /** @throws HundredfoldError `WORKER_SILENT`, `CAMPAIGN_UNREPLAYABLE` */
  async lookAt(found: WorkflowExecutionDescription): Promise<CampaignObservation> {
    const { client } = this.#session;
    const { name } = this.#observed;
    const status = found.status.name;
    const isRunning = status === 'RUNNING';
    // One after the other: a call that is still being retried when another has failed, and its connection was closed
    // for that, would end the process ("Channel has been shut down", from a timer of the SDK).
    const stuck = await findStuckTask(client, found);
    const progress = await readProgress(client, found);
    const obstacle = isRunning
      ? await this.#obstacles.read(() => this.#lookForObstacle(found, stuck))
      : null;
    const budgets = await readUsedBudgets(client, found);
    const own = budgets.flatMap(({ use }) => use).filter(({ campaign }) => campaign === name);
    const at = Date.now();
    return {
      at,
      progress,
      // Rows that were not requested yet are not open either.
      waiting: own.reduce((sum, { asked }) => sum + asked, 0),
      budgets,
      kinds: await this.#kinds(progress.total),
      obstacle: obstacle ?? explainStandstill({ budgets, progress }, at),
      hindered: isRunning ? await this.#hindered() : null,
      ended: !isRunning,
      completed: status === 'COMPLETED',
    };
  }

  async #hindered(): Promise<string | null> {
    const { client } = this.#session;
    const { name } = this.#observed;
    const hindrances = await this.#hindrances.read(() => findHindrance(client, name));
    const late = await this.#late.read(() =>
      readFromTree(this.#observed, (tree) => describeLateItems(this.#session, tree)),
    );
    return [hindrances, late].filter((words) => words !== null).join(' ') || null;
  }

  async #lookForObstacle(
    found: WorkflowExecutionDescription,
    stuck: Stuck | null,
  ): Promise<string | null> {
    const session = this.#session;
    const { folder } = this.#observed;
    const obstacle = await findObstacle(session, folder, found);
    return obstacle ?? (await explainStuckTask(session, found, stuck));
  }

  /** Rows are counted in the tree, once, and again when there are more of them. */
  async #kinds(total: number): Promise<RowCounts | null> {
    if (this.#counted?.total !== total) {
      const kinds = await readFromTree(this.#observed, (tree) =>
        countRows(tree.store, tree.campaign),
      );
      this.#counted = { total, kinds };
    }
    return this.#counted.kinds;
  }
}

/** Null where the tree is on another machine, while it is being prepared again, or if it is damaged. */
async function readFromTree<T>(
  { name, folder }: Observed,
  read: (tree: OutputTree) => Promise<T>,
): Promise<T | null> {
  const tree = await openTreeIfAny(folder, name).catch(nullIfUnreadable);
  return tree && read(tree).catch(nullIfUnreadable);
}

/** The services are written by `launch`: a folder's server may keep budgets of services used long ago. */
async function readUsedBudgets(
  client: Client,
  { memo }: WorkflowExecutionDescription,
): Promise<BudgetStatus[]> {
  const references = (memo?.['services'] ?? []) as readonly ServiceReference[];
  const read = references.map((reference) => readBudget(client, buildBudgetWorkflowId(reference)));
  return (await Promise.all(read)).filter((budget) => budget !== null);
}

export async function openDocument(
  { client }: Session,
  { name, out, startedAt }: Pick<CampaignLine, 'name' | 'out' | 'startedAt'>,
  { progress, budgets, obstacle, kinds }: CampaignObservation,
): Promise<CampaignDocument> {
  // An item has a remote id once a service has accepted its job.
  const sent = `${ATTRIBUTES.campaign.name}="${name}" AND ${ATTRIBUTES.remoteId.name} IS NOT NULL`;
  const { count } = await client.workflow.count(sent);
  const adopted = kinds?.adopted ?? 0;
  return {
    campaign: name,
    state: progress.state,
    items: { total: progress.total, ...progress.ended, duplicates: 0, cached: 0, adopted },
    // The adopted jobs were submitted by others.
    submissions: Math.max(0, count - adopted),
    // Of all campaigns: the budget does not keep them apart; the published campaign.json has its own.
    rejected429: budgets.reduce((sum, { counts }) => sum + counts.rejected429, 0),
    out,
    startedAt,
    endedAt: null,
    ...(obstacle !== null && { obstacle }),
  };
}

/* Tasks of its workflow */

/** A worker finishes a task of a campaign within milliseconds. With the rest of an answer less than 7 s (session.ts). */
const TASK_TIMEOUT_MS = 4_000;
const BETWEEN_MS = 100;

/** A worker begins a campaign that was just started within this time, in ms; the first task may have been waited for before. */
const START_TIMEOUT_MS = 2_000;

/** @throws HundredfoldError `WORKER_SILENT`: it has written nothing, because no worker has run it yet */
export async function readProgress(
  client: Client,
  found: WorkflowExecutionDescription,
): Promise<CampaignProgress> {
  const { workflowId, runId, status } = found;
  const handle = client.workflow.getHandle<typeof campaign>(workflowId, runId);
  // What it wrote last may be a second old.
  if (status.name === 'COMPLETED') return handle.result();
  const deadline = new Deadline(START_TIMEOUT_MS);
  for (let { memo } = found; ; { memo } = await handle.describe()) {
    const written = memo?.[PROGRESS_MEMO] as CampaignProgress | undefined;
    if (written !== undefined) return written;
    if (deadline.hasPassed)
      throw new HundredfoldError(
        'WORKER_SILENT',
        `no worker answers for ${workflowId.replace(':', ' ')}`,
        'Start a worker (hundredfold worker), or run the "hundredfold run" command again. `hundredfold doctor` says whether it is stuck, and what to do.',
      );
    await delay(BETWEEN_MS);
  }
}

/**
 * Waits until a workflow has taken what was sent to it before, but not longer than a worker needs for it. A message that
 * arrives during a task is taken by the next one: `tasks` is then 2.
 */
export async function waitUntilSettled(
  handle: WorkflowHandle,
  tasks = 1,
): Promise<WorkflowExecutionDescription> {
  const deadline = new Deadline(TASK_TIMEOUT_MS);
  const seen = new Set<string | null>();
  for (;;) {
    const found = await handle.describe();
    const task = findPendingTask(found);
    if (task === null || seen.add(task).size > tasks || deadline.hasPassed) return found;
    await delay(BETWEEN_MS);
  }
}

/** A worker with more tasks than it can do at once finishes a task of a campaign within this time, in ms. */
const OVERDUE_MS = 2_500;

/**
 * Waits for the pending task of a campaign if it is overdue or was repeated, because it may never end, or if the
 * campaign has not written its progress yet. Otherwise it returns `found` at once: a busy worker nearly always has a
 * recent task.
 */
export async function waitIfOverdue(
  client: Client,
  found: WorkflowExecutionDescription,
): Promise<WorkflowExecutionDescription> {
  const isOverdue =
    computePendingMs(found) >= OVERDUE_MS || (found.raw.pendingWorkflowTask?.attempt ?? 1) > 1;
  if (!isOverdue && found.memo?.[PROGRESS_MEMO] !== undefined) return found;
  return waitUntilSettled(client.workflow.getHandle(found.workflowId));
}

/** How long its task has waited, through all its attempts; 0 without one. */
function computePendingMs({ raw }: WorkflowExecutionDescription): number {
  const at = raw.pendingWorkflowTask?.originalScheduledTime?.seconds;
  return at == null ? 0 : Date.now() - 1_000 * Number(at);
}

/** Identifies the task of a workflow that no worker has finished yet, through all its attempts; null without one. */
function findPendingTask({ runId, raw }: WorkflowExecutionDescription): string | null {
  const { originalScheduledTime: at } = raw.pendingWorkflowTask ?? {};
  return at ? `${runId} ${String(at.seconds)} ${String(at.nanos)}` : null;
}

/**
 * Why a task of a campaign stays pending; null if it does not, or not for long.
 * @throws HundredfoldError `CAMPAIGN_UNREPLAYABLE`
 */
async function findStuckTask(
  client: Client,
  found: WorkflowExecutionDescription,
): Promise<Stuck | null> {
  if (computePendingMs(found) < TASK_TIMEOUT_MS) return null;
  const stuck = await findStuck(client, found, Date.now());
  if (stuck?.type !== 'unreplayable') return stuck;
  const { name } = readCampaignLine(found);
  throw new HundredfoldError(
    'CAMPAIGN_UNREPLAYABLE',
    `the history of ${name} cannot be replayed by this version`,
    `Run "hundredfold cancel ${name}", then its "hundredfold run" command again: it continues with what is on disk, and nothing is submitted twice.`,
  );
}

/** A sentence with what to do; null if its tasks seem to be done. */
async function explainStuckTask(
  { client, role }: Session,
  { taskQueue }: WorkflowExecutionDescription,
  stuck: Stuck | null,
): Promise<string | null> {
  if (stuck?.type === 'failing')
    return `Its workflow tasks fail (${stuck.message}). "hundredfold doctor" says what to do.`;
  // A worker is part of each host; at a Temporal of your own there may be none.
  const isAlone = stuck !== null || (role === 'remote' && (await hasNoWorker(client, taskQueue)));
  if (!isAlone) return null;
  return 'No worker takes its tasks. Start one (hundredfold worker), or run its "hundredfold run" command again.';
}

async function hasNoWorker(client: Client, taskQueue: string): Promise<boolean> {
  const workers = await readHeartbeats(client, taskQueue);
  return !isClosedPart(workers) && !workers.some(isRecent);
}
