/**
 * Checks the budgets that a worker serves, and repairs those that would otherwise stop without an error; deletes what
 * Temporal no longer needs of large campaigns. Every worker does this; if two do the same, it takes effect once.
 */
import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { snapshotIn } from '../activities/budget-status.ts';
import { ifFound } from '../activities/if-found.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { statusOfCall } from '../temporal/grpc-status.ts';
import { budgetWorkflowId } from '../workflows/names.ts';
import { recoverBudget } from './budget-recovery.ts';
import { ItemDeletion } from './item-deletion.ts';
import { Periodic } from '../domain/periodic.ts';
import { SilentItems, type OpenCampaign } from './silent-items.ts';
import { stuckBecause } from './stuck.ts';

/** Three checks take well under a minute, the promise of docs/reliability.md. */
const LOOK_EVERY_MS = 10_000;
const DELETE_EVERY_MS = 10 * 60_000;
/** Ended items of campaigns with at most this many rows stay, and any for this long. */
const KEPT = { mostKept: 100_000, keptMs: 3_600_000 };

type BudgetAddress = Pick<ServiceReference, 'service' | 'address'>;

interface WatchdogOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly budgets: readonly BudgetAddress[];
  /** Called with each repair, one sentence each. */
  readonly say: (words: string) => void;
  readonly lookEveryMs?: number;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #silent: SilentItems;
  readonly #looks: Periodic;
  readonly #deletions: Periodic;

  constructor(options: WatchdogOptions) {
    const { client, taskQueue, lookEveryMs = LOOK_EVERY_MS, say } = options;
    this.#options = options;
    this.#silent = new SilentItems(client, taskQueue);
    this.#looks = new Periodic({
      everyMs: lookEveryMs,
      work: (signal) => this.#look(signal),
      onError: (error) => {
        say(`checking the budgets failed: ${String(error)}`);
      },
    });
    const deletion = new ItemDeletion({ client, taskQueue, ...KEPT });
    this.#deletions = new Periodic({
      everyMs: DELETE_EVERY_MS,
      async work(signal) {
        await deletion.remove(signal).catch(passing);
      },
      onError: (error) => {
        say(`deleting ended items from Temporal failed: ${String(error)}`);
      },
    });
  }

  start(): void {
    this.#looks.start();
    this.#deletions.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#looks.stop(), this.#deletions.stop()]);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const campaigns = await this.#silent.openCampaigns().catch(passing);
    for (const reference of this.#options.budgets) {
      if (signal.aborted) return;
      await this.#lookAt(reference, campaigns ?? []).catch(passing);
    }
  }

  async #lookAt(reference: BudgetAddress, campaigns: readonly OpenCampaign[]): Promise<void> {
    const { service, address } = reference;
    const budget = await this.#describe(reference);
    const broken = budget && (await this.#reasonToReplace(budget));
    if (budget && broken) {
      const { client, taskQueue, say } = this.#options;
      const one = { reference, runId: budget.runId, reason: broken };
      if (!(await recoverBudget(client, taskQueue, one))) return;
      const asked = await this.#silent.askAll(service);
      say(
        `the budget of ${service} at ${address} was restarted: ${broken}; ${asked} items requested again`,
      );
      return;
    }
    const asked = await this.#silent.look(service, budget && snapshotIn(budget.memo), campaigns);
    if (asked > 0)
      this.#options.say(
        `${asked} items of ${service} waited, but the budget had no request for them: requested again`,
      );
  }

  async #describe(reference: BudgetAddress): Promise<WorkflowExecutionDescription | null> {
    const handle = this.#options.client.workflow.getHandle(budgetWorkflowId(reference));
    const found = await ifFound(handle.describe());
    return found?.status.name === 'RUNNING' ? found : null;
  }

  async #reasonToReplace(budget: WorkflowExecutionDescription): Promise<string | null> {
    const stuck = await stuckBecause(this.#options.client, budget, Date.now());
    if (stuck?.type === 'unreplayable') return `its history cannot be replayed (${stuck.message})`;
    // It has run without writing a status.
    const isFormer = !stuck && !budget.raw.pendingWorkflowTask && !snapshotIn(budget.memo);
    return isFormer ? 'it was begun by an earlier version' : null;
  }
}

/** The server is unavailable or busy: the next check comes soon. */
function passing(error: unknown): void {
  if (error instanceof WorkflowNotFoundError || statusOfCall(error) !== null) return;
  throw error;
}
