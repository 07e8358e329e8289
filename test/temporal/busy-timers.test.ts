/** Many timers that are due within a second, as with some items a second. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporalCli } from '../../src/temporal/cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** The metrics of the server whose log is in this folder. */
async function metricsOf(dir: string): Promise<string> {
  const log = await readFile(join(dir, 'temporal.log'), 'utf8');
  const [, url = ''] = /Temporal Metrics: +(\S+)/.exec(log) ?? [];
  return (await fetch(url)).text();
}

test('the embedded server does not postpone the timers of a busy second', async () => {
  const dir = await temporaryFolder();
  const server = await startDevServer({
    executable: temporalCli(),
    dir,
    headless: true,
    // Not the usual one: another server of this machine may have it.
    port: await freePort(),
  });
  onTestFinished(() => stopDevServer(server));
  const client = await connectClient({ address: server.address, namespace: 'default' });
  onTestFinished(() => client.connection.close());
  for (let n = 0; n < 150; n += 1) {
    const workflowId = randomUUID();
    const startDelay = 1_000 + (n % 50) * 40;
    await client.workflow.start('any', { workflowId, taskQueue: 'timers', startDelay });
  }
  const fired = async () => {
    const [, count] =
      /^task_requests\{.*WorkflowBackoffTimer.*\} (\d+)/m.exec(await metricsOf(dir)) ?? [];
    return Number(count ?? 0);
  };
  await expect.poll(fired, { timeout: 30_000, interval: 500 }).toBeGreaterThanOrEqual(150);
  const metrics = await metricsOf(dir);
  const [postponed = null] = /^.*queue_action="reader_stuck".*$/m.exec(metrics) ?? [];
  expect(postponed).toBeNull();
}, 60_000);
