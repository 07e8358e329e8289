/** One poll of a campaign: its own counts, and the budgets it uses. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { readBudget, readBudgets } from '../activities/budget-run.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { CampaignProgress, ServiceReference } from '../domain/campaign.ts';
import type { Session } from '../temporal/host/session.ts';
import type { CampaignDocument } from '../report/campaign-summary.ts';
import type { RowCounts } from '../store/prepared-campaign.ts';
import { StoreError } from '../store/store-error.ts';
import { buildBudgetWorkflowId, buildCampaignWorkflowId, ATTRIBUTES } from '../workflows/names.ts';
import { type CampaignLine, describeCampaign } from './find.ts';
import {
  describeHindrance,
  findObstacle,
  readHindrances,
  explainStandstill,
  findTreeObstacle,
} from './obstacles.ts';
import { WorkerPresence, readProgress, waitIfOverdue } from './progress.ts';
import { openTreeIfAny } from './tree.ts';

export interface CampaignObservation {
  readonly at: number;
  readonly progress: CampaignProgress;
  /** Open items that wait for a slot; the others are submitted. */
  readonly waiting: number;
  /** Those that the campaign uses. */
  readonly budgets: readonly BudgetStatus[];
  /** What the rows of the tree are; null where the tree cannot be read from here. */
  readonly kinds: Pick<RowCounts, 'items' | 'following'> | null;
  /** What blocks it until the user acts, and what to do: a sentence. */
  readonly obstacle: string | null;
  /** Why some of its items wait, while the others go on: a sentence for each reason. */
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
  const { client } = session;
  const description = known ?? (await describeCampaign(client, observed.name));
  const { found, waited } = await waitIfOverdue(client, description);
  return new Observer(session, observed, true).lookAt(found, waited);
}

/** How often obstacles are looked for: it takes several calls. */
const OBSTACLE_INTERVAL_MS = 2_000;

/** How often items are asked why they wait, and how many of them. */
const HINDRANCES_INTERVAL_MS = 10_000;
const MAX_ASKED = 100;

/** Polls repeatedly, and asks only for what may have changed. */
export class Observer {
  readonly #session: Session;
  readonly #observed: Observed;
  readonly #attendance: WorkerPresence;
  #obstacles: { readonly at: number; readonly words: string | null } | null = null;
  #hindrances: { readonly at: number; readonly words: string | null } | null = null;
  #counted: { readonly total: number; readonly kinds: RowCounts | null } | null = null;

  /** @param looksOnce for a single look */
  constructor(session: Session, observed: Observed, looksOnce = false) {
    this.#session = session;
    this.#observed = observed;
    this.#attendance = new WorkerPresence(session, looksOnce);
  }

  /** @throws HundredfoldError `WORKER_SILENT`, `CAMPAIGN_UNREPLAYABLE` */
  async look(): Promise<CampaignObservation> {
    const handle = this.#session.client.workflow.getHandle(
      buildCampaignWorkflowId(this.#observed.name),
    );
    return this.lookAt(await handle.describe());
  }

  /**
   * @param waited for the task that is pending, if there is one
   * @throws HundredfoldError `WORKER_SILENT`, `CAMPAIGN_UNREPLAYABLE`
   */
  async lookAt(found: WorkflowExecutionDescription, waited = false): Promise<CampaignObservation> {
    const { client } = this.#session;
    const { name } = this.#observed;
    const status = found.status.name;
    // One after the other: a call that is still being retried when another has failed, and its connection was closed
    // for that, would end the process ("Channel has been shut down", from a timer of the SDK).
    await this.#attendance.check(found, waited);
    const progress = await readProgress(client, found, waited);
    const obstacle = status === 'RUNNING' ? await this.#obstacle(found) : null;
    const budgets = await readBudgetsOf(client, found.memo?.['services']);
    const lanes = budgets.flatMap(({ waiting }) => waiting);
    const waiting = lanes
      .filter(({ campaign }) => campaign === name)
      // Rows that were not requested yet are not open either.
      .reduce((sum, { asked }) => sum + asked, 0);
    const at = Date.now();
    return {
      at,
      progress,
      waiting,
      budgets,
      kinds: await this.#kinds(progress.total),
      obstacle: obstacle ?? explainStandstill({ budgets, progress }, at),
      hindered: status === 'RUNNING' ? await this.#hindered() : null,
      ended: status !== 'RUNNING',
      completed: status === 'COMPLETED',
    };
  }

  async #obstacle(found: WorkflowExecutionDescription): Promise<string | null> {
    const known = this.#obstacles;
    if (known && Date.now() - known.at < OBSTACLE_INTERVAL_MS) return known.words;
    const words = await this.#lookForObstacle(found);
    this.#obstacles = { at: Date.now(), words };
    return words;
  }

  async #hindered(): Promise<string | null> {
    const known = this.#hindrances;
    if (known && Date.now() - known.at < HINDRANCES_INTERVAL_MS) return known.words;
    const { client } = this.#session;
    const words = describeHindrance(await readHindrances(client, this.#observed.name, MAX_ASKED));
    this.#hindrances = { at: Date.now(), words };
    return words;
  }

  async #lookForObstacle(found: WorkflowExecutionDescription): Promise<string | null> {
    const session = this.#session;
    const observed = this.#observed;
    const own = await findObstacle(observed.folder, found);
    const ofTree = own ?? (await findTreeObstacle({ session, ...observed }, found));
    return ofTree ?? (await this.#attendance.obstacle(found));
  }

  /** Rows are counted in the tree, once, and again when there are more of them. */
  async #kinds(total: number): Promise<RowCounts | null> {
    if (this.#counted?.total !== total)
      this.#counted = { total, kinds: await readKindCounts(this.#observed) };
    return this.#counted.kinds;
  }
}

/** Also null while the tree is being prepared again, or if it is damaged: that is not the purpose of this call. */
async function readKindCounts({ name, folder }: Observed): Promise<RowCounts | null> {
  try {
    return (await openTreeIfAny(folder, name))?.campaign.counts ?? null;
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** `services` comes from the campaign's memo: a folder's server may keep budgets of services used long ago. */
async function readBudgetsOf(client: Client, services: unknown): Promise<BudgetStatus[]> {
  if (!Array.isArray(services)) return readBudgets(client);
  // Written by `launch`.
  const references = services as ServiceReference[];
  const read = references.map((reference) => readBudget(client, buildBudgetWorkflowId(reference)));
  return (await Promise.all(read)).filter((budget) => budget !== null);
}

export async function openDocument(
  { client }: Session,
  { name, out, startedAt }: Pick<CampaignLine, 'name' | 'out' | 'startedAt'>,
  { progress, budgets, obstacle }: CampaignObservation,
): Promise<CampaignDocument> {
  // An item has a remote id once a service has accepted its job.
  const sent = `${ATTRIBUTES.campaign.name}="${name}" AND ${ATTRIBUTES.remoteId.name} IS NOT NULL`;
  const { count } = await client.workflow.count(sent);
  const adopted = await countAdopted(out, name);
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

/** None where the tree is on another machine, or cannot be read now. */
async function countAdopted(folder: string, name: string): Promise<number> {
  try {
    const tree = await openTreeIfAny(folder, name);
    return tree?.campaign.counts.adopted ?? 0;
  } catch (error) {
    if (error instanceof StoreError) return 0;
    throw error;
  }
}
