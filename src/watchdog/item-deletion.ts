/**
 * Deletes the ended item workflows of large campaigns from Temporal. Their results and records are in the tree, and a
 * million of them would be 45 GB of database. Those of other campaigns stay until the retention of the namespace ends.
 *
 * An item completes after the campaign was notified of its end, so that nothing looks for it again. Terminated items are
 * left alone: their campaign has to find them first.
 *
 * Rejected: a shorter retention of the namespace, which would delete campaigns and other people's workflows, too.
 */
import type { Client, WorkflowService } from '@temporalio/client';
import type { CampaignProgress } from '../domain/campaign.ts';
import { hasStatus } from '../temporal/grpc-status.ts';
import { PROGRESS_MEMO } from '../workflows/messages.ts';

interface ItemDeletionOptions {
  readonly client: Client;
  /** Of the workers that this belongs to. */
  readonly taskQueue: string;
  /** Rows of a campaign whose ended items stay. */
  readonly mostKept: number;
  /** How long ended items remain visible in the Temporal UI. */
  readonly keptMs: number;
}

export class ItemDeletion {
  readonly #options: ItemDeletionOptions;

  constructor(options: ItemDeletionOptions) {
    this.#options = options;
  }

  /** Deletes those of all large campaigns of the task queue, and returns their number. */
  async remove(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for await (const campaign of this.#largeCampaigns())
      removed += await this.#removeOf(campaign, signal);
    return removed;
  }

  async *#largeCampaigns(): AsyncGenerator<string> {
    const { client, taskQueue, mostKept } = this.#options;
    const query = `WorkflowType="campaign" AND TaskQueue="${taskQueue}"`;
    for await (const { memo } of client.workflow.list({ query })) {
      const progress = memo?.[PROGRESS_MEMO] as CampaignProgress | undefined;
      if (progress && progress.total > mostKept) yield progress.campaign;
    }
  }

  async #removeOf(campaign: string, signal: AbortSignal): Promise<number> {
    const { client, keptMs } = this.#options;
    const before = new Date(Date.now() - keptMs).toISOString();
    const ended = `ExecutionStatus="Completed" AND CloseTime<"${before}"`;
    const query = `WorkflowType="item" AND Campaign="${campaign}" AND ${ended}`;
    let removed = 0;
    const { namespace } = client.options;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      if (signal.aborted) break;
      const workflowExecution = { workflowId, runId };
      if (await isDeleted(client, { namespace, workflowExecution })) removed += 1;
    }
    return removed;
  }
}

/** False if another worker has deleted it. */
async function isDeleted(
  { workflowService }: Client,
  request: Parameters<WorkflowService['deleteWorkflowExecution']>[0],
): Promise<boolean> {
  try {
    await workflowService.deleteWorkflowExecution(request);
    return true;
  } catch (error) {
    if (hasStatus(error, 'notFound')) return false;
    throw error;
  }
}
