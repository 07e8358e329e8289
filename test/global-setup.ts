/** One Temporal dev server for the whole suite; each test has its own task queue, addresses and names. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TestProject } from 'vitest/node';
import { startUiGuard } from '../src/temporal/host/ui-guard.ts';
import { loadWorkflowBundle } from '../src/temporal/bundle.ts';
import { connectClient } from '../src/temporal/connection.ts';
import { registerSearchAttributes } from '../src/temporal/namespace.ts';
import { startDevServer, stopDevServer } from '../src/temporal/dev-server.ts';
import { ENCRYPTED } from './namespaces.ts';
import { shareTemporalCli } from './shared-cli.ts';
import { freePort } from '../src/temporal/machine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the Temporal server. */
    temporal: string;
    /** Its web UI. */
    temporalUi: string;
  }
}

async function addEncrypted(client: Client): Promise<void> {
  await client.workflowService.registerNamespace({
    namespace: ENCRYPTED,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  await registerSearchAttributes(
    new Client({ connection: client.connection, namespace: ENCRYPTED }),
  );
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executable = await shareTemporalCli();
  const dir = await mkdtemp(join(tmpdir(), 'hundredfold-temporal-'));
  // User data belongs to the suite here.
  process.env['HUNDREDFOLD_STATE_DIR'] = join(dir, 'state');
  await mkdir(join(dir, 'state'), { mode: 0o700 });
  const server = await startDevServer({
    executable,
    dir,
    port: await freePort(),
    ui: { ip: '127.0.0.1', port: await freePort() },
    // Workflows continue as new every few hundred events, so that every test covers it.
    dynamicConfig: {
      'limit.historyCount.suggestContinueAsNew': '300',
      // The default, for tests that create namespaces.
      'system.namespaceCacheRefreshInterval': '"2s"',
    },
  });
  const client = await connectClient({ address: server.address, namespace: 'default' });
  await registerSearchAttributes(client);
  await addEncrypted(client);
  await client.connection.close();
  await loadWorkflowBundle();
  project.provide('temporal', server.address);
  // As for users: through the host's guard.
  const guard = await startUiGuard(() => server.ui);
  project.provide('temporalUi', guard.url);
  return async () => {
    await guard.close();
    await stopDevServer(server);
    await rm(dir, { recursive: true, force: true });
  };
}
