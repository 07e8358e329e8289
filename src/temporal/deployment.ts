/**
 * Versions of the program side by side: the Worker Deployment of a task queue. One version is current: campaigns start
 * on it, and open ones move to it.
 */
import type { Client } from '@temporalio/client';
import type { WorkflowBundlePath } from '@temporalio/worker';
import { HundredfoldError } from '../domain/errors.ts';
import { readProgramVersion } from '../program.ts';
import { bundleDigest } from './bundle.ts';
import { hasStatus, findStatus } from './grpc-status.ts';

export interface Build {
  readonly deployment: string;
  readonly id: string;
  /** Its workflows; default: those of this program. */
  readonly bundle?: WorkflowBundlePath;
}

/** The build of this program: the workflow code decides whether two builds can take over from each other. */
function describeBuild(deployment: string): Build {
  return { deployment, id: `${readProgramVersion()}-${bundleDigest()}` };
}

interface DeployedBuild {
  readonly id: string;
  readonly isCurrent: boolean;
}

/** null if the server does not know a deployment of this name, that is, no worker of it has ever run. */
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
    return (info?.versionSummaries ?? []).map(({ deploymentVersion }) => ({
      id: deploymentVersion?.buildId ?? '',
      isCurrent: deploymentVersion?.buildId === current,
    }));
  } catch (error) {
    if (hasStatus(error, 'notFound')) return null;
    throw explainError(error);
  }
}

/**
 * The version to register a worker under. null if the server is too old for Worker Deployments or has disabled them: a
 * worker that requests one there would never get a task.
 */
export async function buildOn(client: Client, deployment: string): Promise<Build | null> {
  try {
    await describeDeployment(client, deployment);
    return describeBuild(deployment);
  } catch (error) {
    if (error instanceof HundredfoldError && error.code === 'DEPLOYMENT_UNSUPPORTED') return null;
    throw error;
  }
}

function explainError(error: unknown): unknown {
  const reason = findStatus(error)?.details ?? '';
  // If they are disabled (system.enableDeploymentVersions), server 1.32 reports a lack of permission.
  const isOff = hasStatus(error, 'permissionDenied') && /disabled/.test(reason);
  if (isOff || hasStatus(error, 'unimplemented'))
    return new HundredfoldError(
      'DEPLOYMENT_UNSUPPORTED',
      'this Temporal server has no Worker Deployments: it is too old, or they are disabled',
      'Use server 1.29 or newer, or omit temporal.deployment and stop all workers before an upgrade.',
      { cause: error },
    );
  return error;
}
