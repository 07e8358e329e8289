/**
 * Tests of users' workers, with the installed package beside the packages of Temporal: the examples of docs/library.md.
 * Called by package.test.ts, which has packed and installed it.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { desk, ROOT } from '../cli/command.ts';
import { peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import { ordersApi } from '../library/orders-api.ts';
import { noItemLost, treeIsWhole } from '../promises.ts';
import type { Installed } from './installed.ts';

const EXAMPLES = join(ROOT, 'examples', 'library');
const BUDGET = 'packed-orders';
const TSC = join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc');

/** The user's project with the examples, installed as in `docs/library.md`. */
function teamOf(installed: Installed): string {
  const project = installed.project('team');
  for (const name of ['child-campaign', 'rolling-window'])
    cpSync(join(EXAMPLES, name), join(project, name), { recursive: true });
  // The server of the suite has another budget of that name.
  for (const name of ['worker.ts', 'workflows.ts']) {
    const file = join(project, 'rolling-window', name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll("'orders'", `'${BUDGET}'`));
  }
  return project;
}

export function testWorkers(installed: () => Installed): void {
  let project: string;

  beforeAll(() => {
    project = teamOf(installed());
  }, 60_000);

  test('the examples type-check against the declarations of the package', () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'esnext'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['child-campaign', 'rolling-window'] }),
    );
    const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', project], {
      encoding: 'utf8',
    });
    expect(status, stdout).toBe(0);
  });

  test('child-campaign: a workflow of the user executes a campaign', async () => {
    const at = desk();
    const name = `packed-${randomUUID().slice(0, 8)}`;
    const ids = peptides(at, name, 6);
    const service = await rehearse(at, { limit: 4, seconds: 5 });
    const address = inject('temporal');
    const folder = installed().folder(name);
    for (const file of [`${name}.csv`, 'hundredfold.yaml'])
      cpSync(at.path(file), join(folder, file));
    const env = { ...TOKEN, HUNDREDFOLD_TEMPORAL_ADDRESS: address };
    const worker = join(project, 'child-campaign', 'worker.ts');

    const { ended } = installed().startNode(folder, [worker, `${name}.csv`, name], env);
    const { code, stdout, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`${name}: 6 of 6 succeeded: `);
    const tree = join(folder, 'results', name);
    await noItemLost(tree, ids);
    await treeIsWhole(tree);
    await service.end();
  });

  test('rolling-window: a worker of the user places orders within the limit', async () => {
    const api = await ordersApi(3, 1_000);
    const address = inject('temporal');
    const taskQueue = `packed-${randomUUID().slice(0, 8)}`;
    const env = {
      TEMPORAL_ADDRESS: address,
      TASK_QUEUE: taskQueue,
      ORDERS_API: api.url,
      ORDERS_LIMIT: '3',
      ORDERS_WINDOW_MS: '1000',
    };
    const script = join(project, 'rolling-window', 'worker.ts');
    const worker = installed().startNode(installed().folder(taskQueue), [script], env);
    const client = await connectClient({ address, namespace: 'default' });
    const articles = Array.from({ length: 7 }, (_, i) => `${taskQueue}-${i}`);
    const placed = await Promise.all(
      articles.map(async (article) => {
        const options = { taskQueue, workflowId: `order:${article}`, args: [article] };
        return (await client.workflow.execute('order', options)) as string;
      }),
    );
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code, worker.text.stderr).toBe(0);
    await client.workflow.getHandle(`rolling-window:${BUDGET}`).terminate('the test has ended');
    await client.connection.close();
    expect(placed).toEqual(articles.map((article) => `order-of-${article}`));
    expect(api.orders.filter(({ status }) => status !== 201)).toEqual([]);
  });
}
