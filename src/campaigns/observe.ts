/** One look at a campaign: its own counts, and the budgets it draws on. */
import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { readBudget, readBudgets } from '../activities/budget-status.ts';
import type { CampaignProgress, ServiceReference } from '../domain/campaign.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Session } from '../host/session.ts';
import { countKinds, type KindCounts } from '../store/prepared-campaign.ts';
import { StoreError } from '../store/store-error.ts';
import { ask } from './ask.ts';
import { obstacleOf } from './obstacle.ts';
import { treeObstacleOf } from './tree-obstacle.ts';
import { treeIfAny } from './campaign-tree.ts';
import { standstillOf } from './standstill.ts';
import { budgetWorkflowId, campaignWorkflowId } from '../workflows/names.ts';
import { codedError } from '../domain/errors.ts';
import { stuckBecause } from '../watchdog/stuck.ts';
import { progressQuery } from '../workflows/messages.ts';
import type { campaign } from '../workflows/index.ts';
import { isTemporalAway } from './temporal-away.ts';

export interface Observation {
  readonly at: number;
  readonly progress: CampaignProgress;
  /** Open items that wait for a slot; the others are submitted. */
  readonly waiting: number;
  /** Those that the campaign draws on, each with the campaign's own credential only. */
  readonly budgets: readonly BudgetStatus[];
  /** What the rows of the tree are; null where the tree cannot be read from here. */
  readonly kinds: KindCounts | null;
  /** What blocks it until the user acts, and what to do: a sentence. */
  readonly obstacle: string | null;
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

export async function observe(session: Session, observed: Observed): Promise<Observation> {
  return new Observer(session, observed).look();
}

/** A campaign that was terminated still answers queries: it is noticed at most this much later. */
const DESCRIBE_EVERY_MS = 5_000;

/** Polls repeatedly, and queries only what may have changed. */
export class Observer {
  readonly #session: Session;
  readonly #observed: Observed;
  #described: Described | null = null;
  #counted: { readonly total: number; readonly kinds: KindCounts | null } | null = null;

  constructor(session: Session, observed: Observed) {
    this.#session = session;
    this.#observed = observed;
  }

  async look(): Promise<Observation> {
    const { client } = this.#session;
    const { name } = this.#observed;
    // One after the other: a call that is still being retried when another has failed, and its connection was closed
    // for that, would end the process ("Channel has been shut down", from a timer of the SDK).
    const progress = await progressOf(client, campaignWorkflowId(name));
    const { status, services, obstacle } = await this.#describe(progress);
    const budgets = await budgetsOf(client, services);
    const lanes = budgets.flatMap(({ waiting }) => waiting);
    const waiting = lanes
      .filter(({ campaign }) => campaign === name)
      // Rows that were not requested yet are not open either.
      .reduce((sum, { items, asked = items }) => sum + asked, 0);
    const at = Date.now();
    return {
      at,
      progress,
      waiting,
      budgets,
      kinds: await this.#kinds(progress.total),
      obstacle: obstacle ?? standstillOf({ budgets, progress }, at),
      ended: status !== 'RUNNING',
      completed: status === 'COMPLETED',
    };
  }

  async #describe({ state }: CampaignProgress): Promise<Described> {
    const ends = state === 'completed' || state === 'cancelled';
    const known = this.#described;
    if (known && !ends && Date.now() - known.at < DESCRIBE_EVERY_MS) return known;
    const { name, folder } = this.#observed;
    const found = await this.#session.client.workflow
      .getHandle(campaignWorkflowId(name))
      .describe();
    this.#described = {
      at: Date.now(),
      status: found.status.name,
      services: found.memo?.['services'],
      obstacle: ends ? null : await this.#obstacle(folder, found),
    };
    return this.#described;
  }

  async #obstacle(folder: string, found: WorkflowExecutionDescription): Promise<string | null> {
    const session = this.#session;
    const observed = this.#observed;
    const own = await obstacleOf(folder, found);
    return own ?? (await treeObstacleOf({ session, ...observed }, found));
  }

  /** Rows are counted in the tree, once, and again when there are more of them. */
  async #kinds(total: number): Promise<KindCounts | null> {
    if (this.#counted?.total !== total)
      this.#counted = { total, kinds: await kindsIn(this.#observed) };
    return this.#counted.kinds;
  }
}

/**
 * From the workflow, or what it returned: one that has completed is not needed for that, and a worker that cannot replay
 * its history could not answer.
 * @throws HundredfoldError `WORKER_SILENT`, `CAMPAIGN_UNREPLAYABLE`
 */
async function progressOf(client: Client, workflowId: string): Promise<CampaignProgress> {
  try {
    return await ask(client, workflowId, progressQuery);
  } catch (error) {
    if (isTemporalAway(error) || error instanceof WorkflowNotFoundError) throw error;
    const handle = client.workflow.getHandle<typeof campaign>(workflowId);
    const found = await handle.describe();
    if (found.status.name === 'COMPLETED') return handle.result();
    const stuck = await stuckBecause(client, found, Date.now());
    if (stuck?.type !== 'unreplayable') throw error;
    throw codedError(
      'CAMPAIGN_UNREPLAYABLE',
      { name: workflowId.slice('campaign:'.length) },
      error,
    );
  }
}

interface Described extends Pick<Observation, 'obstacle'> {
  readonly at: number;
  readonly status: string;
  /** From the campaign's memo. */
  readonly services: unknown;
}

/** Also null while the tree is being prepared again, or if it is damaged: that is not the purpose of this call. */
async function kindsIn({ name, folder }: Observed): Promise<KindCounts | null> {
  try {
    const tree = await treeIfAny(folder, name);
    return tree && (await countKinds(tree.store, tree.campaign));
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** `services` comes from the campaign's memo: a folder's server may keep budgets of services used long ago. */
async function budgetsOf(client: Client, services: unknown): Promise<BudgetStatus[]> {
  if (!Array.isArray(services)) return readBudgets(client);
  // Written by `launch`.
  const references = services as ServiceReference[];
  const ours = new Set(references.map(({ credential }) => credential));
  const budgets: BudgetStatus[] = [];
  for (const id of new Set(references.map(budgetWorkflowId))) {
    const budget = await readBudget(client, id);
    if (budget)
      budgets.push({
        ...budget,
        credentials: budget.credentials.filter(({ credential }) => ours.has(credential)),
      });
  }
  return budgets;
}
