/**
 * A campaign in progress while the program is replaced: two real builds in one Worker Deployment, upgraded twice and
 * rolled back once.
 */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Build } from '../../src/temporal/bundle.ts';
import { ROLES, buildRunningQuery, buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { startWorker } from '../../src/worker.ts';
import { nudgeSignal } from '../../src/workflows/messages.ts';
import { Rig, sequences } from '../rig.ts';

const LIMITS = { limit: 8, windowMs: 3_000 };
const DEPLOYMENT = `upgrade-${randomUUID().slice(0, 8)}`;

/** The workflows of this checkout, whose campaigns show their build in the UI. */
async function build(folder: string, id: string): Promise<Build> {
  const source = join(folder, id);
  for (const part of ['workflows', 'budget', 'domain'])
    await cp(join('src', part), join(source, part), { recursive: true });
  const file = join(source, 'workflows', 'feed.ts');
  const text = await readFile(file, 'utf8');
  const marked = text.replace('summary = `page ', `summary = \`${id}: page `);
  expect(marked, 'the text that tells the builds apart').not.toBe(text);
  await writeFile(file, marked);
  const workflowsPath = join(source, 'workflows', 'index.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath] });
  const codePath = join(folder, `${id}.js`);
  await writeFile(codePath, code);
  return { deployment: DEPLOYMENT, id, bundle: { codePath } };
}

async function describeDeployment({ workflowService }: Client) {
  const asked = { namespace: 'default', deploymentName: DEPLOYMENT };
  return (await workflowService.describeWorkerDeployment(asked)).workerDeploymentInfo;
}

/** Starts a worker of this build. */
async function start(rig: Rig, one: Build): Promise<void> {
  const { client, taskQueue, settings: services } = rig;
  const stateFolder = join(rig.folder, `state-${one.id}`);
  await mkdir(stateFolder, { mode: 0o700 });
  const temporal = { address: inject('temporal'), namespace: 'default' };
  const environment = process.env;
  const own = { temporal, client, taskQueue, services, environment, stateFolder };
  const worker = await startWorker({ ...own, roles: ROLES, build: one });
  onTestFinished(() => worker.stop());
  const seen = async () => (await describeDeployment(client))?.versionSummaries ?? [];
  const version = { deploymentName: DEPLOYMENT, buildId: one.id };
  await expect.poll(seen).toContainEqual(expect.objectContaining({ deploymentVersion: version }));
}

/** Running workflows continue with this build. */
async function promote({ client, taskQueue }: Rig, { id: buildId }: Build): Promise<void> {
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: 'default',
    deploymentName: DEPLOYMENT,
    buildId,
    ignoreMissingTaskQueues: true,
  });
  // As docs/workers.md says: a run that waits for hours takes the version with its next task.
  const query = buildRunningQuery(['campaign', 'budget'], { taskQueue });
  for await (const { workflowId } of client.workflow.list({ query }))
    await client.workflow.getHandle(workflowId).signal(nudgeSignal);
  const current = (await describeDeployment(client))?.routingConfig?.currentDeploymentVersion;
  expect(current?.buildId).toBe(buildId);
}

/** Builds that executed the runs of a workflow, in order, each change once. */
async function findBuilds(client: Client, workflowId: string): Promise<string[]> {
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

test('a campaign that is upgraded twice and rolled back once loses nothing', async () => {
  await mkdir('dist', { recursive: true });
  // Below the checkout, so that its packages are found.
  const folder = join(process.cwd(), await mkdtemp(join('dist', 'upgrade-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [one, two] = [await build(folder, 'one'), await build(folder, 'two')];
  const services = { engine: 'synthetic', jobMs: 50, concurrency: 0 } as const;
  const rig = await Rig.open({ ...LIMITS, ...services, sharesQueue: true });
  onTestFinished(() => rig.close());
  // That of the rig has no version.
  await rig.stopWorker();
  await start(rig, one);
  await promote(rig, one);
  const { handle, name } = await rig.start(sequences(80));
  const accepted = () => rig.services.journal().filter((entry) => entry.accepted).length;
  await start(rig, two);
  for (const [n, next] of [
    [16, two],
    [32, one],
    [48, two],
  ] as const) {
    await expect.poll(accepted).toBeGreaterThanOrEqual(n);
    await promote(rig, next);
  }
  const { ended } = await handle.result();
  expect(ended.succeeded).toBe(80);
  const budgets = rig.settings.map(({ reference }) => buildBudgetWorkflowId(reference));
  for (const workflowId of [`campaign:${name}`, budgets[1] ?? ''])
    expect(await findBuilds(rig.client, workflowId)).toEqual(['one', 'two', 'one', 'two']);
});
