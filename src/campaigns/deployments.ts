/** Which version of the program runs the open campaigns of a Temporal server of your own. */
import type { Client } from '@temporalio/client';
import type { Settings } from '../config/settings.ts';
import { codedError } from '../domain/errors.ts';
import { temporalAddress } from '../host/temporal-address.ts';
import { thisBuild } from '../temporal/build.ts';
import { connectClient } from '../temporal/connection.ts';
import { describeDeployment, setCurrent, type DeployedBuild } from '../temporal/deployment.ts';
import { DEFAULT_TASK_QUEUE } from '../workflows/names.ts';

export interface Deployment {
  readonly client: Client;
  readonly name: string;
  readonly taskQueue: string;
}

export interface Promotion {
  readonly build: string;
  /** Open campaigns and budgets that move to it. */
  readonly woken: number;
}

/**
 * The connection is closed afterwards.
 * @throws HundredfoldError `CONFIG_NO_DEPLOYMENT`, `TEMPORAL_*`
 */
export async function withDeployment<T>(
  { temporal, codec, deployment, taskQueue }: Settings,
  use: (deployment: Deployment) => Promise<T>,
): Promise<T> {
  if (!temporal || deployment === null) throw codedError('CONFIG_NO_DEPLOYMENT', {});
  const client = await connectClient(temporalAddress(temporal, codec));
  try {
    return await use({ client, name: deployment, taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE });
  } finally {
    await client.connection.close();
  }
}

/**
 * The versions whose workers the server has seen, newest first.
 * @throws HundredfoldError `DEPLOYMENT_UNKNOWN`
 */
export async function deployedBuilds({ client, name }: Deployment): Promise<DeployedBuild[]> {
  const builds = await describeDeployment(client, name);
  if (builds) return builds;
  throw codedError('DEPLOYMENT_UNKNOWN', { deployment: name });
}

/** Makes a version current; null is the version of this program. */
export async function promoteBuild(
  deployment: Deployment,
  build: string | null,
): Promise<Promotion> {
  const { client, name, taskQueue } = deployment;
  const buildId = build ?? thisBuild(name).id;
  return {
    build: buildId,
    woken: await setCurrent(client, { deployment: name, buildId, taskQueue }),
  };
}

/**
 * Makes the previous version current again.
 * @throws HundredfoldError `DEPLOYMENT_NO_FORMER`
 */
export async function restoreFormerBuild(deployment: Deployment): Promise<Promotion> {
  const former = (await deployedBuilds(deployment))
    .filter(({ isCurrent, left }) => !isCurrent && left !== null)
    .sort((a, b) => (b.left ?? 0) - (a.left ?? 0))[0];
  if (!former) throw codedError('DEPLOYMENT_NO_FORMER', { deployment: deployment.name });
  return promoteBuild(deployment, former.id);
}
