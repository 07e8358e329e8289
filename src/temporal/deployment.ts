/**
 * Versions of the program side by side: the Worker Deployment of a task queue. One version is current: campaigns start
 * on it, and open ones move to it.
 */
import type { Client } from '@temporalio/client';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { nudgeSignal } from '../workflows/messages.ts';
import { thisBuild, type Build } from './build.ts';
import { hasStatus, statusOfCall } from './grpc-status.ts';
import { runningWorkflows } from '../workflows/running-workflows.ts';

export interface DeployedBuild {
  readonly id: string;
  readonly isCurrent: boolean;
  /** When its first worker started (ms). */
  readonly since: number;
  /** When another version replaced it (ms); null if it was never current. */
  readonly left: number | null;
  /** `draining`: runs that started on it are still open. */
  readonly status: string;
}

/** Newest first; null if the server does not know a deployment of this name, that is, no worker of it has ever run. */
export async function describeDeployment(
  client: Client,
  deployment: string,
): Promise<DeployedBuild[] | null> {
  const { namespace } = client.options;
  try {
    const { workerDeploymentInfo: info } = await client.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName: deployment,
    });
    const current = info?.routingConfig?.currentDeploymentVersion?.buildId ?? null;
    const builds = (info?.versionSummaries ?? []).map(
      ({ deploymentVersion, createTime, lastDeactivationTime: left, status }) => ({
        id: deploymentVersion?.buildId ?? '',
        isCurrent: deploymentVersion?.buildId === current,
        since: Number(createTime?.seconds ?? 0) * 1_000,
        left: left ? Number(left.seconds ?? 0) * 1_000 : null,
        status: VERSION_STATUS[status ?? 0] ?? 'unknown',
      }),
    );
    return builds.sort((a, b) => b.since - a.since);
  } catch (error) {
    if (hasStatus(error, 'notFound')) return null;
    throw worded(error);
  }
}

/**
 * The version to register a worker under. null if the server is too old for Worker Deployments or has disabled them: a
 * worker that requests one there would never get a task.
 */
export async function buildOn(client: Client, deployment: string): Promise<Build | null> {
  try {
    await describeDeployment(client, deployment);
    return thisBuild(deployment);
  } catch (error) {
    if (error instanceof HundredfoldError && error.code === 'DEPLOYMENT_UNSUPPORTED') return null;
    throw error;
  }
}

interface Promotion {
  readonly deployment: string;
  readonly buildId: string;
  readonly taskQueue: string;
}

/**
 * Makes a version current, and wakes the campaigns and budgets of the task queue: otherwise a run that waits for hours
 * notices it only with its next task.
 * @returns the number of workflows woken
 * @throws HundredfoldError `DEPLOYMENT_UNKNOWN_BUILD`, `DEPLOYMENT_UNSUPPORTED`
 */
export async function setCurrent(
  client: Client,
  { deployment, buildId, taskQueue }: Promotion,
): Promise<number> {
  const { namespace } = client.options;
  try {
    await client.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName: deployment,
      buildId,
      // A stopped worker, or a role without workers, is the operator's decision.
      ignoreMissingTaskQueues: true,
    });
  } catch (error) {
    throw worded(error);
  }
  return nudge(client, taskQueue);
}

async function nudge(client: Client, taskQueue: string): Promise<number> {
  const query = runningWorkflows(['campaign', 'budget'], { taskQueue });
  let woken = 0;
  for await (const { workflowId } of client.workflow.list({ query })) {
    await client.workflow.getHandle(workflowId).signal(nudgeSignal);
    woken += 1;
  }
  return woken;
}

/** temporal.api.enums.v1.WorkerDeploymentVersionStatus */
const VERSION_STATUS: Readonly<Record<number, string>> = {
  1: 'inactive',
  2: 'current',
  3: 'ramping',
  4: 'draining',
  5: 'drained',
  6: 'created',
};

function worded(error: unknown): unknown {
  const reason = statusOfCall(error)?.details ?? '';
  // If they are disabled (system.enableDeploymentVersions), server 1.32 reports a lack of permission.
  const isOff = hasStatus(error, 'permissionDenied') && /disabled/.test(reason);
  if (isOff || hasStatus(error, 'unimplemented'))
    return codedError('DEPLOYMENT_UNSUPPORTED', {}, error);
  if (hasStatus(error, 'notFound', 'failedPrecondition'))
    return codedError('DEPLOYMENT_UNKNOWN_BUILD', { reason }, error);
  return error;
}
