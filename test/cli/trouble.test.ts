/**
 * A server that is suspended, a campaign that no worker can replay, a wrong address: nothing hangs, the cause is named,
 * and the same command continues.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { isAlive } from '../../src/temporal/machine.ts';
import { buildCampaignWorkflowId } from '../../src/workflows/names.ts';
import { argumentsOf, beginWith, unreplayable } from '../other-code.ts';
import { desk, type Desk, type Typed } from './command.ts';
import { fragments, peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const typing = { env: TOKEN };
const NIGHT = ['run', 'night.csv', '--yes'];
const LOCAL = ['run', 'fragments.csv', '--services', 'local'];
const HTML = '<!doctype html><title>Not Found</title>';

test('status, cancel and doctor answer while the server is suspended; status takes it over, and run continues', async () => {
  const at = desk();
  // More than may be unfinished at once (20): some of them wait, however fast the machine is.
  fragments(at, 'fragments', 30);
  const run = at.type(LOCAL);
  await run.until(() => at.done('fragments') > 0, 'an item had ended');
  // It stays open, however long the other steps take.
  await at.runs(0, ['pause', 'fragments']);
  const { pid } = at.record('server') as { pid: number };
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  const answers = async (...asked: readonly string[]) => {
    const { stderr, stdout } = await at.runs(1, asked);
    expect(stderr).not.toContain('internal error');
    return `${stdout}${stderr}`;
  };
  const found = /\[(HOST_NOT_READY|TEMPORAL_SILENT)\]|PROBLEM {2}Temporal/;
  const asked = [['status', 'fragments'], ['cancel', 'fragments'], ['doctor']];
  for (const said of await Promise.all(asked.map((words) => answers(...words))))
    expect(said).toMatch(found);

  run.kill('SIGKILL');
  await run.ended;
  expect(await answers('status')).toContain('[TEMPORAL_UNREACHABLE]');
  await at.runs(0, ['resume', 'fragments']);
  await at.runs(0, LOCAL);
});

/** Restarts the campaign, with its memo, from different code. No command may run. */
async function beginOtherwise(at: Desk, name: string): Promise<void> {
  const { address } = at.record('server') as { address: string };
  const { taskQueue } = at.record('identity') as { taskQueue: string };
  const temporal = { address, namespace: 'default' };
  const client = await connectClient({ ...temporal, embedded: true });
  const workflowId = buildCampaignWorkflowId(name);
  const real = client.workflow.getHandle(workflowId);
  const { memo } = await real.describe();
  const args = await argumentsOf(real);
  const begin = () =>
    client.workflow.start('campaign', {
      workflowId,
      taskQueue,
      args,
      memo: memo ?? {},
      workflowTaskTimeout: '5s',
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
  await beginWith(unreplayable('campaign'), { temporal, taskQueue, begin });
  await client.connection.close();
}

test('`cancel` ends a campaign that cannot be replayed, and `run` continues from the files on disk', async () => {
  const at = desk();
  fragments(at, 'fragments', 6);
  const first = at.type(LOCAL);
  await first.says('of 6 done: ');
  first.kill('SIGKILL');
  await first.ended;
  await beginOtherwise(at, 'fragments');

  const again = await at.runs(1, [...LOCAL, '--json']);
  expect(again.stdout).toContain('"code":"CAMPAIGN_UNREPLAYABLE"');
  const { stderr } = await at.runs(0, ['cancel', 'fragments']);
  expect(stderr).toContain('was ended: its history cannot be replayed');
  await at.runs(0, LOCAL);
});

test('a campaign with accepted jobs continues with a warning if its service is down or another server', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 1, seconds: 3_600 });
  peptides(at, 'night', 2);
  const interrupt = async (command: Typed) => {
    command.kill('SIGINT');
    await command.endsWith(130);
  };
  const first = at.type(NIGHT, typing);
  await first.until(() => at.done('night') === 1, 'the first item ended');
  await interrupt(first);
  await service.end();

  const away = at.type(NIGHT, typing);
  await away.says('connection refused');
  await away.says('The campaign waits until the service works.');
  await away.says('1 of 2');
  await interrupt(away);

  const other = createServer((_, response) => response.writeHead(404).end(HTML));
  onTestFinished(() => void other.close());
  other.listen(Number(new URL(service.url).port), '127.0.0.1');
  await once(other, 'listening');
  const wrong = at.type(NIGHT, typing);
  await wrong.says('is not the prediction service');
  await wrong.says('1 of 2');
  await interrupt(wrong);
});
