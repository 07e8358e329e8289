/** Every history of a round, fetched from the server and replayed with the current workflow code. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import { loadWorkflowBundle } from '../../src/temporal/bundle.ts';
import { requireTemporalCli } from '../shared-cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';

interface Recorded {
  readonly workflowId: string;
  readonly history: History;
}

let quiet = false;

/** After all processes of the round have ended: we open their databases with our own servers. */
export async function allReplayable(folder: string): Promise<number> {
  let replayed = 0;
  for (const dir of databasesIn(folder)) replayed += await replay(await historiesIn(dir));
  return replayed;
}

/** The same for a running server. */
export async function replayable(client: Client): Promise<number> {
  return replay(await fetchAll(client));
}

async function replay(histories: readonly Recorded[]): Promise<number> {
  if (!quiet) {
    const logger = new DefaultLogger('ERROR', () => undefined);
    Runtime.install({ logger, telemetryOptions: { logging: { filter: 'ERROR' } } });
    quiet = true;
  }
  let replayed = 0;
  const failed: string[] = [];
  const replays = Worker.runReplayHistories(
    { workflowBundle: await loadWorkflowBundle() },
    histories.values(),
  );
  for await (const { workflowId, runId, error } of replays) {
    replayed += 1;
    if (error) failed.push(`${workflowId} (run ${runId}): ${reasonIn(error.message)}`);
  }
  expect(failed, 'histories that cannot be replayed').toEqual([]);
  return replayed;
}

/** `[TMPRL1100] …`, extracted from the structure that the SDK prints around it. */
function reasonIn(message: string): string {
  return /\[TMPRL\d+\][^"]*/.exec(message)?.[0] ?? message;
}

/** Folders of Temporal servers, also of those that were moved away. */
function databasesIn(folder: string): string[] {
  const names = ['.', ...readdirSync(folder)].flatMap((name) => [name, `${name}/.hundredfold`]);
  const folders = new Set(names.map((name) => join(folder, name)));
  return [...folders].filter((dir) => existsSync(join(dir, 'temporal.db')));
}

async function historiesIn(dir: string): Promise<Recorded[]> {
  const server = await startDevServer({ executable: requireTemporalCli(), dir });
  try {
    const client = await connectClient({
      address: server.address,
      namespace: 'default',
      embedded: true,
    });
    try {
      return await fetchAll(client);
    } finally {
      await client.connection.close();
    }
  } finally {
    await stopDevServer(server);
  }
}

async function fetchAll(client: Client): Promise<Recorded[]> {
  const found: Recorded[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const handle = client.workflow.getHandle(workflowId, runId);
    found.push({ workflowId, history: await handle.fetchHistory() });
  }
  return found;
}
