/** `hundredfold deployment status|promote|rollback`: which version of the program runs the open campaigns. */
import {
  deployedBuilds,
  promoteBuild,
  restoreFormerBuild,
  withDeployment,
  type Deployment,
  type Promotion,
} from '../../campaigns/deployments.ts';
import { loadSettings } from '../../config/settings.ts';
import { EXIT } from '../../domain/errors.ts';
import type { DeployedBuild } from '../../temporal/deployment.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { say } from '../text/explain.ts';
import { printDocument } from '../text/output.ts';
import { printTable } from '../text/table.ts';

/** Prints the versions whose workers the server has seen, newest first. */
export async function deploymentStatus(flags: CommonFlags): Promise<number> {
  return at(flags, async (deployment) => {
    const builds = await deployedBuilds(deployment);
    if (flags.json) printDocument({ deployment: deployment.name, builds });
    else printTable(['BUILD', 'STATE', 'FIRST_WORKER'], builds.map(cellsOf));
  });
}

/** Makes a version current; the default is the version of this program. */
export async function promote(build: string | undefined, flags: CommonFlags): Promise<number> {
  return at(flags, async (deployment) => {
    print(flags, deployment, await promoteBuild(deployment, build ?? null));
  });
}

/** Makes the previous version current again. */
export async function rollback(flags: CommonFlags): Promise<number> {
  return at(flags, async (deployment) => {
    print(flags, deployment, await restoreFormerBuild(deployment));
  });
}

function print(flags: CommonFlags, { name }: Deployment, { build, woken }: Promotion): void {
  if (flags.json) printDocument({ deployment: name, current: build, woken });
  say(`${build} is the current version of ${name}.`);
  say(
    `${woken} open campaigns and budgets move to it; items that have started finish on the version on which they started. Stop the workers of a version when its state is drained.`,
  );
}

async function at(
  flags: CommonFlags,
  use: (deployment: Deployment) => Promise<void>,
): Promise<number> {
  await withDeployment(loadSettings(flags.config, process.env, { tokens: 'optional' }), use);
  return EXIT.ok;
}

function cellsOf({ id, status, since }: DeployedBuild): string[] {
  return [id, status, new Date(since).toISOString()];
}
