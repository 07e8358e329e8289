/** `hundredfold deployment status|promote|rollback`: which version of the program runs the open campaigns. */
import { loadSettings } from '../../config/settings.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
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
    if (!former)
      throw new HundredfoldError({
        code: 'DEPLOYMENT_NO_FORMER',
        message: `no other version of ${place.deployment} was current before`,
        remedy:
          'Choose one that `hundredfold deployment status` lists: hundredfold deployment promote BUILD.',
      });
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
  throw new HundredfoldError({
    code: 'DEPLOYMENT_UNKNOWN',
    message: `no worker of the deployment ${deployment} has connected to this Temporal server yet`,
    remedy: 'Start one with the same temporal.deployment: hundredfold worker.',
  });
}

async function at(flags: CommonFlags, use: (place: Place) => Promise<number>): Promise<number> {
  const settings = loadSettings(flags.config, process.env, { tokens: 'optional' });
  const { temporal, codec, deployment, taskQueue } = settings;
  if (!temporal || deployment === null)
    throw new HundredfoldError({
      code: 'CONFIG_NO_DEPLOYMENT',
      message: 'no Worker Deployment is configured',
      remedy:
        'Set temporal.address and temporal.deployment in hundredfold.yaml (docs/operations.md, "Upgrade while campaigns are open").',
    });
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
