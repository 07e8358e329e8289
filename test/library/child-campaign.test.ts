/** A campaign as a child of a team's own workflow, in its own worker, on a real Temporal server. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { campaignWorkflowId } from '../../src/workflows/names.ts';
import { desk, ROOT, type Typed } from '../cli/command.ts';
import { peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import {
  atMostOneJob,
  neverOverBudget,
  neverRefusedForRate,
  noItemLost,
  noSecret,
  treeIsWhole,
} from '../promises.ts';

const WORKER = join(ROOT, 'examples', 'library', 'child-campaign', 'worker.ts');

test('a parent workflow executes a campaign and gets its counts, with its worker killed in the middle', async () => {
  const at = desk();
  const name = `child-${randomUUID().slice(0, 8)}`;
  const ids = peptides(at, name, 12);
  const limit = { limit: 4, seconds: 4 };
  const service = await rehearse(at, limit);
  const address = inject('temporal');
  const env = {
    ...TOKEN,
    HUNDREDFOLD_TEMPORAL_ADDRESS: address,
    HUNDREDFOLD_STATE_DIR: at.path('state'),
  };
  const start = (): Typed => at.type([`${name}.csv`, name], { env, program: WORKER });

  const killed = start();
  await killed.until(() => at.done(name) >= 2, 'two items had ended');
  killed.kill('SIGKILL');
  await killed.ended;
  const { stdout } = await start().endsWith(0);
  expect(stdout).toContain(`${name}: 12 of 12 succeeded: ${at.path('results', name)}`);

  const client = await connectClient({ address, namespace: 'default' });
  const { raw } = await client.workflow.getHandle(campaignWorkflowId(name)).describe();
  expect(raw.workflowExecutionInfo?.parentExecution?.workflowId).toBe(`screening:${name}.csv`);
  const histories: Record<string, string> = {};
  for (const id of [`screening:${name}.csv`, campaignWorkflowId(name)])
    histories[id] = JSON.stringify(await client.workflow.getHandle(id).fetchHistory());
  await noSecret(TOKEN.HUNDREDFOLD_PREDICTION_TOKEN, at.path('results', name), histories);

  // Refused rows fail the parent at once, with their code.
  at.write(`${name}-bad.csv`, 'id,sequence\nshort,M\n');
  const refused = at.type([`${name}-bad.csv`, name], { env, program: WORKER });
  const { stderr } = await refused.endsWith(1);
  expect(stderr).toContain("type: 'MANIFEST_REFUSED'");
  await client.connection.close();

  // All has ended: the parent gets the same counts without a child.
  const { stdout: again } = await start().endsWith(0);
  expect(again).toContain(`${name}: 12 of 12 succeeded`);

  const journal = await service.end();
  atMostOneJob(journal, ids.length);
  neverOverBudget(journal, { limit: limit.limit, windowMs: limit.seconds * 1_000 });
  neverRefusedForRate(journal);
  await noItemLost(at.path('results', name), ids);
  await treeIsWhole(at.path('results', name));
});
