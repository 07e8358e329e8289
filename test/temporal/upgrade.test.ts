/**
 * A campaign in flight while the program is replaced: two real builds in one Worker Deployment, upgraded twice and rolled
 * back once.
 */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { currentBuild, describeDeployment, setCurrent } from '../../src/temporal/deployment.ts';
import type { Build } from '../../src/temporal/build.ts';
import { ROLES } from '../../src/temporal/roles.ts';
import { startWorker, type RunningWorker } from '../../src/worker.ts';
import { atMostOneJob, neverOverBudget, noItemLost, treeIsWhole } from '../promises.ts';
import { Rig, sequences } from '../rig.ts';

const deployment = `upgrade-${randomUUID().slice(0, 8)}`;
let folder: string;
let builds: readonly [Build, Build];
let rig: Rig;
const workers: RunningWorker[] = [];

/** The workflows of this checkout, whose items say in the UI which build they are of. */
async function build(id: string): Promise<Build> {
  // Below the checkout, so that its packages are found.
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

async function start(one: Build): Promise<void> {
  const stateFolder = join(rig.folder, `state-${one.id}`);
  await mkdir(stateFolder, { mode: 0o700 });
  const temporal = { address: inject('temporal'), namespace: 'default' };
  const { client, taskQueue, settings: services } = rig;
  const own = { temporal, client, taskQueue, services, stateFolder };
  workers.push(await startWorker({ ...own, roles: ROLES, build: one }));
  const seen = async () => (await describeDeployment(client, deployment))?.map(({ id }) => id);
  await expect.poll(seen, { timeout: 30_000 }).toContain(one.id);
}

beforeAll(async () => {
  await mkdir('dist', { recursive: true });
  folder = await mkdtemp(join('dist', 'upgrade-'));
  folder = join(process.cwd(), folder);
  builds = [await build('one'), await build('two')];
}, 120_000);

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await rig.close();
  await rm(folder, { recursive: true });
});

/** Builds that the runs of a workflow were on, in order. */
async function buildsOf(workflowId: string): Promise<string[]> {
  const runs: { at: number; id: string }[] = [];
  for await (const { runId, startTime } of rig.client.workflow.list({
    query: `WorkflowId="${workflowId}"`,
  })) {
    const { raw } = await rig.client.workflow.getHandle(workflowId, runId).describe();
    const version = raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion;
    runs.push({ at: startTime.getTime(), id: version?.buildId ?? 'none' });
  }
  return runs.sort((a, b) => a.at - b.at).map(({ id }) => id);
}

test('a campaign that is upgraded twice and rolled back once loses nothing', async () => {
  const limits = { limit: 8, windowMs: 3_000 };
  const services = { engine: 'synthetic', jobMs: 50, concurrency: 0 } as const;
  rig = await Rig.open({ ...limits, ...services, sharesQueue: true });
  // That of the rig has no version.
  await rig.stopWorker();
  const [one, two] = builds;
  await start(one);
  await setCurrent(rig.client, { deployment, buildId: one.id, taskQueue: rig.taskQueue });
  const { handle, name, folder: tree, ids } = await rig.start(sequences(80));
  const accepted = (n: number) =>
    expect
      .poll(() => rig.services.journal().filter((entry) => entry.accepted).length, {
        timeout: 90_000,
      })
      .toBeGreaterThanOrEqual(n);

  await accepted(16);
  await start(two);
  for (const [n, next] of [
    [16, two],
    [32, one],
    [48, two],
  ] as const) {
    await accepted(n);
    await setCurrent(rig.client, { deployment, buildId: next.id, taskQueue: rig.taskQueue });
    expect(await currentBuild(rig.client, deployment)).toBe(next.id);
  }
  const { ended } = await handle.result();
  expect(ended.succeeded).toBe(80);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(rig.services.journal(), 80);
  neverOverBudget(rig.services.journal(), limits);

  const steps = (all: string[]) => all.filter((id, at) => id !== all[at - 1]);
  expect(steps(await buildsOf(`campaign:${name}`))).toEqual(['one', 'two', 'one', 'two']);
  const address = rig.settings[1]?.reference.address ?? '';
  expect(steps(await buildsOf(`budget:predictions:${address}`))).toEqual([
    ...['one', 'two', 'one', 'two'],
  ]);
}, 240_000);
