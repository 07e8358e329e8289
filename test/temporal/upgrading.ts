/** Two real builds of the workflows in one Worker Deployment, and a campaign that moves from one to the other. */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { expect, inject } from 'vitest';
import type { Limit } from '../../src/budget/budget.ts';
import type { Build } from '../../src/temporal/build.ts';
import { describeDeployment } from '../../src/temporal/deployment.ts';
import { ROLES } from '../../src/temporal/roles.ts';
import { startWorker, type RunningWorker } from '../../src/worker.ts';
import { nudgeSignal } from '../../src/workflows/messages.ts';
import { runningWorkflows } from '../../src/workflows/running-workflows.ts';
import { Rig } from '../rig.ts';

export class Upgrading {
  readonly rig: Rig;
  readonly builds: readonly [Build, Build];
  readonly #folder: string;
  readonly #workers: RunningWorker[] = [];

  private constructor(rig: Rig, folder: string, builds: readonly [Build, Build]) {
    this.rig = rig;
    this.#folder = folder;
    this.builds = builds;
  }

  static async open(limits: Limit & { readonly limit: number }): Promise<Upgrading> {
    await mkdir('dist', { recursive: true });
    // Below the checkout, so that its packages are found.
    const folder = join(process.cwd(), await mkdtemp(join('dist', 'upgrade-')));
    const deployment = `upgrade-${randomUUID().slice(0, 8)}`;
    const builds = [
      await build(folder, deployment, 'one'),
      await build(folder, deployment, 'two'),
    ] as const;
    const services = { engine: 'synthetic', jobMs: 50, concurrency: 0 } as const;
    const rig = await Rig.open({ ...limits, ...services, sharesQueue: true });
    // That of the rig has no version.
    await rig.stopWorker();
    return new Upgrading(rig, folder, builds);
  }

  /** Starts a worker of this build. */
  async start(one: Build): Promise<void> {
    const { rig } = this;
    const stateFolder = join(rig.folder, `state-${one.id}`);
    await mkdir(stateFolder, { mode: 0o700 });
    const temporal = { address: inject('temporal'), namespace: 'default' };
    const { client, taskQueue, settings: services } = rig;
    const environment = process.env;
    const own = { temporal, client, taskQueue, services, environment, stateFolder };
    this.#workers.push(await startWorker({ ...own, roles: ROLES, build: one }));
    const seen = async () =>
      (await describeDeployment(client, one.deployment))?.map(({ id }) => id);
    await expect.poll(seen, { timeout: 30_000 }).toContain(one.id);
  }

  /** Running workflows continue with this build. */
  async promote({ deployment, id: buildId }: Build): Promise<void> {
    const { client, taskQueue } = this.rig;
    await client.workflowService.setWorkerDeploymentCurrentVersion({
      namespace: 'default',
      deploymentName: deployment,
      buildId,
      ignoreMissingTaskQueues: true,
    });
    // As docs/operations.md says: a run that waits for hours takes the version with its next task.
    const query = runningWorkflows(['campaign', 'budget'], { taskQueue });
    for await (const { workflowId } of client.workflow.list({ query }))
      await client.workflow.getHandle(workflowId).signal(nudgeSignal);
    const builds = await describeDeployment(client, deployment);
    expect(builds?.find(({ isCurrent }) => isCurrent)?.id).toBe(buildId);
  }

  /** Waits for this many jobs. */
  async accepted(n: number): Promise<void> {
    const count = () => this.rig.services.journal().filter((entry) => entry.accepted).length;
    await expect.poll(count, { timeout: 120_000 }).toBeGreaterThanOrEqual(n);
  }

  /** Builds that executed the runs of a workflow, in order, each change once. */
  async buildsOf(workflowId: string): Promise<string[]> {
    const { client } = this.rig;
    const runs: { at: number; id: string }[] = [];
    for await (const { runId, startTime } of client.workflow.list({
      query: `WorkflowId="${workflowId}"`,
    })) {
      const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
      const version = raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion;
      runs.push({ at: startTime.getTime(), id: version?.buildId ?? 'none' });
    }
    const all = runs.sort((a, b) => a.at - b.at).map(({ id }) => id);
    return all.filter((id, at) => id !== all[at - 1]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.rig.close();
    await rm(this.#folder, { recursive: true });
  }
}

/** The workflows of this checkout, whose items show their build in the UI. */
async function build(folder: string, deployment: string, id: string): Promise<Build> {
  const source = join(folder, id);
  for (const part of ['workflows', 'budget', 'domain'])
    await cp(join('src', part), join(source, part), { recursive: true });
  const file = join(source, 'workflows', 'item-job.ts');
  const text = await readFile(file, 'utf8');
  const marked = text.replace('summary(`job ', `summary(\`${id}: job `);
  expect(marked, 'the text that tells the builds apart').not.toBe(text);
  await writeFile(file, marked);
  const workflowsPath = join(source, 'workflows', 'index.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath] });
  const codePath = join(folder, `${id}.js`);
  await writeFile(codePath, code);
  return { deployment, id, bundle: { codePath } };
}
