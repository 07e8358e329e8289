/**
 * The fence before a submission: the last moment at which the run of the budget that granted it was seen running, with
 * this attempt still its own. A run that was terminated, reset or closed passes nothing on, and neither does an attempt
 * that the server has given to another worker.
 *
 * So whatever a closed run has granted begins within `FIRST_BYTE_MS` of its end, or never: its successor may count on
 * `LATEST_ACCEPTANCE_MS` (budget/inherit.ts). A time-out does not give that: a laptop may be closed, or a process hang,
 * between the poll of the task and the first byte.
 */
import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { CampaignRun } from '../budget/queue.ts';
import { FIRST_BYTE_MS } from '../domain/limits.ts';
import type { SteadyClock } from '../ledger/steady-clock.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { nullIfNotFound } from './retry.ts';

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkflowExecution']>>;

export type Attempt = Pick<Info, 'activityId' | 'attempt' | 'workflowExecution'>;

/** temporal.api.enums.v1.WorkflowExecutionStatus */
const RUNNING = 1;
/** temporal.api.enums.v1.PendingActivityState: not scheduled for another worker, not asked to cancel. */
const STARTED = 2;

/** The moment at which a submission passed. */
export interface Passage {
  /** Whether a first byte may still be written. Asked just before it: no timer runs while a machine sleeps. */
  readonly isOpen: () => boolean;
}

export class Fence {
  readonly #client: Client;
  readonly #clock: SteadyClock;

  /** @param clock counts the time for which the machine slept */
  constructor(client: Client, clock: SteadyClock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Null if nothing may be sent. Throws if the server does not answer. */
  async pass(own: Attempt): Promise<Passage | null> {
    const { workflowId = '', runId = '' } = own.workflowExecution ?? {};
    const at = this.#clock.now().steadyMs;
    const { workflowService, options } = this.#client;
    const execution = { workflowId, runId };
    const { namespace } = options;
    const found = await workflowService.describeWorkflowExecution({ namespace, execution });
    if (!isOwn(found, own)) return null;
    return { isOpen: () => this.#clock.now().steadyMs - at <= FIRST_BYTE_MS };
  }

  /** Whether a campaign still waits for a job: one that was terminated has not withdrawn its requests. */
  async isAwaited({ campaign, run }: CampaignRun): Promise<boolean> {
    const handle = this.#client.workflow.getHandle(buildCampaignWorkflowId(campaign), undefined, {
      // However often it has continued as new since.
      firstExecutionRunId: run,
    });
    const found = await nullIfNotFound(handle.describe());
    if (found?.status.name !== 'RUNNING') return false;
    const { workflowExecutionInfo, workflowExtendedInfo } = found.raw;
    // Older servers do not report it.
    const { firstRunId = '' } = workflowExecutionInfo ?? {};
    const isThisRun = [run, '', null].includes(firstRunId);
    return isThisRun && workflowExtendedInfo?.cancelRequested !== true;
  }
}

/** The run is running, and the attempt is its current one. */
function isOwn(
  {
    workflowExecutionInfo,
    pendingActivities,
  }: Pick<Described, 'workflowExecutionInfo' | 'pendingActivities'>,
  { activityId, attempt }: Attempt,
): boolean {
  if (Number(workflowExecutionInfo?.status) !== RUNNING) return false;
  const pending = pendingActivities.find((one) => one.activityId === activityId);
  return pending?.attempt === attempt && Number(pending.state) === STARTED;
}
