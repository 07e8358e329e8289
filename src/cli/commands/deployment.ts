/** `hundredfold deployment status|promote|rollback`: which version of the program runs the open campaigns. */
import { loadSettings } from '../../config/settings.ts';
import { codedError, EXIT } from '../../domain/errors.ts';
import { temporalAddress } from '../../host/session.ts';
import { connectClient } from '../../temporal/connection.ts';
import { describeDeployment, setCurrent, type DeployedBuild } from '../../temporal/deployment.ts';
import { thisBuild } from '../../temporal/build.ts';
import { DEFAULT_TASK_QUEUE } from '../../workflows/names.ts';
import type { Client } from '@temporalio/client';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { printDocument } from '../text/output.ts';
import { printTable } from '../text/table.ts';

interface Place {
  readonly client: Client;
  readonly deployment: string;
  readonly taskQueue: string;
  readonly json: boolean;
}

/** Prints the versions whose workers the server has seen, newest first. */
export async function deploymentStatus(flags: CommonFlags): Promise<number> {
  return at(flags, async ({ client, deployment, json }) => {
    const builds = await seen(client, deployment);
    if (json) printDocument({ deployment, builds });
    else printTable(['BUILD', 'STATE', 'FIRST_WORKER'], builds.map(cellsOf));
    return EXIT.ok;
  });
}

/** Makes a version current; the default is the version of this program. */
export async function promote(build: string | undefined, flags: CommonFlags): Promise<number> {
  return at(flags, async (place) => {
    const id = build ?? thisBuild(place.deployment).id;
    return makeCurrent(place, id);
  });
}

/** Makes the previous version current again. */
export async function rollback(flags: CommonFlags): Promise<number> {
  return at(flags, async (place) => {
    const former = (await seen(place.client, place.deployment))
      .filter(({ isCurrent, left }) => !isCurrent && left !== null)
      .sort((a, b) => (b.left ?? 0) - (a.left ?? 0))[0];
    if (!former) throw codedError('DEPLOYMENT_NO_FORMER', { deployment: place.deployment });
    return makeCurrent(place, former.id);
  });
}

async function makeCurrent({ client, deployment, taskQueue, json }: Place, buildId: string) {
  const woken = await setCurrent(client, { deployment, buildId, taskQueue });
  if (json) printDocument({ deployment, current: buildId, woken });
  say(`${buildId} is the current version of ${deployment}.`);
  say(
    `${woken} open campaigns and budgets move to it; items that have started finish on the version on which they started. Stop the workers of a version when its state is drained.`,
  );
  return EXIT.ok;
}

async function seen(client: Client, deployment: string): Promise<DeployedBuild[]> {
  const builds = await describeDeployment(client, deployment);
  if (builds) return builds;
  throw codedError('DEPLOYMENT_UNKNOWN', { deployment });
}

async function at(flags: CommonFlags, use: (place: Place) => Promise<number>): Promise<number> {
  const settings = loadSettings(flags.config, process.env, { tokens: 'optional' });
  const { temporal, codec, deployment, taskQueue } = settings;
  if (!temporal || deployment === null) throw codedError('CONFIG_NO_DEPLOYMENT', {});
  const client = await connectClient(temporalAddress(temporal, codec));
  try {
    const json = flags.json ?? false;
    return await use({ client, deployment, taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE, json });
  } finally {
    await client.connection.close();
  }
}

function cellsOf({ id, status, since }: DeployedBuild): string[] {
  return [id, status, new Date(since).toISOString()];
}
