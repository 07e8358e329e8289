/**
 * Timeouts and retries of each activity, how a signal reaches a budget, and when campaigns and budgets continue as new.
 * The server retries: it survives our crashes, and a retry costs no event in the history.
 */
import {
  ActivityCancellationType,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  workflowInfo,
  type ActivityOptions,
  type ContinueAsNewOptions,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { FeedSpec } from '../domain/campaign.ts';
import { MAX_POST_MS } from '../domain/limits.ts';
import type { Activities } from './activity-types.ts';
import { buildBudgetWorkflowId } from './names.ts';

/**
 * Every activity sends a heartbeat each second, so the work of a worker that died continues this soon elsewhere. With
 * 10 s a campaign whose page was being read submitted nothing for 10 s after another worker was there.
 */
const heartbeatTimeout = '4s';

/**
 * A POST is aborted by its own deadline (30 s) well within this, so that its outcome is always reported.
 *
 * If a worker does not answer, the server gives it to another one. Nothing is sent twice: before the first byte, the
 * attempt creates a note in the item's folder, which only one attempt can create (src/activities/sending-note.ts).
 */
export const { submit } = proxyActivities<Activities>({
  startToCloseTimeout: MAX_POST_MS,
  heartbeatTimeout,
  // Dispatched by the server, not handed over with the workflow task: that answer may be lost with the worker, and
  // the submission would count as sent.
  allowEagerDispatch: false,
  // Before all other work: an idle slot is lost.
  priority: { priorityKey: 1 },
  retry: {
    initialInterval: '100ms',
    backoffCoefficient: 2,
    maximumInterval: '5s',
    maximumAttempts: 20,
  },
});

/** Short, and unlikely to fail for long. Grants wait for some: as soon as for a submission of a worker that died. */
export const { readClock, countOpenJobs, reportToCampaign } = proxyActivities<Activities>({
  startToCloseTimeout: heartbeatTimeout,
  priority: { priorityKey: 1 },
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

/** A budget that was reset grants nothing before it knows what its former run has charged. */
export const { readFormer } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout,
  priority: { priorityKey: 1 },
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
});

/** For activities that need a worker with the token. */
export function withToken(
  summary: string,
  { fetchQueue }: Pick<FeedSpec, 'fetchQueue'>,
): ActivityOptions {
  return { summary, ...(fetchQueue !== undefined && { taskQueue: fetchQueue }) };
}

/**
 * The delay of each retry comes from the activity (`nextRetryDelay`), which `maximumInterval` caps. If it is cancelled
 * while it begins an item, that item may begin: the budget waits for the answer.
 */
export const { settleSubmission } = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2s', backoffCoefficient: 1, maximumInterval: '1h' },
});

/**
 * As long as the job runs, and two weeks for its results; its steps end it earlier. If it is cancelled while it writes
 * the end of its item, the end may be written: the workflow waits for the answer.
 */
export const { finishJob } = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2s', backoffCoefficient: 1, maximumInterval: '1h' },
});

/** Of a lane: its engines stand still until the ends of the jobs are known that a worker had watched when it died. */
export const LANE_JOBS = {
  heartbeatTimeout,
  retry: { initialInterval: '200ms', backoffCoefficient: 1, maximumInterval: '1h' },
} as const;

/** A full disk is waited out: no item fails because of it. */
export const { conclude, loadPage, ensureBudget, checkItems, cancelRunning } =
  proxyActivities<Activities>({
    startToCloseTimeout: '10m',
    heartbeatTimeout,
    scheduleToCloseTimeout: '14d',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });

/** Reads the whole output tree: long for large campaigns, whose page is put together in one go of some seconds. */
export const { publish } = proxyActivities<Activities>({
  startToCloseTimeout: '6h',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A run in the foreground waits for it: three attempts within two minutes, then the campaign ends without it. */
export const { notify, notifyRefusal } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout,
  scheduleToCloseTimeout: '2m',
  retry: {
    initialInterval: '2s',
    backoffCoefficient: 2,
    maximumInterval: '10s',
    maximumAttempts: 3,
  },
});

/**
 * Campaigns and budgets run for weeks, and with worker versioning a run stays on the version of the program that it
 * began on. The next run begins on the version that is current.
 *
 * True if the history is long, or the current version is not the one that this run is pinned to.
 */
export function shouldContinueAsNew(): boolean {
  return workflowInfo().continueAsNewSuggested || isOutdated();
}

/** Always false without worker versioning. */
export function isOutdated(): boolean {
  return workflowInfo().targetWorkerDeploymentVersionChanged;
}

/** Without it the next run would be pinned to the version of this one. */
export function toCurrentVersion(): Pick<ContinueAsNewOptions, 'initialVersioningBehavior'> {
  return isOutdated() ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {};
}

/** It may be terminated again before the signal reaches it. */
const TRIES = 5;

/** A budget workflow that was terminated is started again. */
export async function signalBudget<T>(
  feed: Pick<FeedSpec, 'reference' | 'fetchQueue'>,
  signal: SignalDefinition<[T]>,
  what: T,
): Promise<void> {
  const keeper = getExternalWorkflowHandle(buildBudgetWorkflowId(feed.reference));
  for (let tries = 1; ; tries += 1) {
    try {
      await keeper.signal(signal, what);
      return;
    } catch (error) {
      if (isCancellation(error) || tries === TRIES) throw error;
    }
    const options = withToken(`start the budget of ${feed.reference.service}`, feed);
    await ensureBudget.executeWithOptions(options, [feed.reference]);
  }
}
