/** Histories of workflows as committed files: one JSON document each, without data of the machine they ran on. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Client } from '@temporalio/client';

const HISTORIES = join(import.meta.dirname, 'histories');

type History = ReturnType<typeof historyFromJSON>;

interface Recorded {
  readonly file: string;
  readonly workflowId: string;
  readonly history: History;
}

export function readHistories(): Recorded[] {
  return readdirSync(HISTORIES)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const { workflowId, history } = JSON.parse(readFileSync(join(HISTORIES, file), 'utf8')) as {
        workflowId: string;
        history: unknown;
      };
      return { file, workflowId, history: historyFromJSON(history) };
    });
}

/**
 * Writes the histories of all runs of these workflows, one for each sequence of events; `folder` was the parent of
 * their output trees.
 */
export async function record(
  client: Client,
  course: string,
  workflowIds: readonly string[],
  folder: string,
): Promise<void> {
  mkdirSync(HISTORIES, { recursive: true });
  for (const old of readdirSync(HISTORIES)) {
    if (old.startsWith(`${course}.`)) rmSync(join(HISTORIES, old));
  }
  const sequences = new Set<string>();
  for (const workflowId of workflowIds) {
    let run = 0;
    for await (const info of client.workflow.list({ query: `WorkflowId="${workflowId}"` })) {
      run += 1;
      const handle = client.workflow.getHandle(workflowId, info.runId);
      const raw = await handle.fetchHistory();
      const events = (raw.events ?? []).map(({ eventType }) => eventType).join();
      if (sequences.has(events)) continue;
      sequences.add(events);
      const history = neutral(JSON.parse(historyToJSON(raw)), folder);
      const name = `${course}.${workflowId.replaceAll(/[^a-z0-9-]+/gi, '-')}.${run}.json`;
      writeFileSync(join(HISTORIES, name), `${JSON.stringify({ workflowId, history })}\n`);
    }
  }
}

/** A replay compares commands, not the contents of their payloads: paths in them may be changed. */
function neutral(node: unknown, folder: string): unknown {
  if (Array.isArray(node)) return node.map((one) => neutral(one, folder));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]: [string, unknown]) => {
    if (key === 'identity' || key === 'workerId') return [key, 'worker'];
    // The paths of a stack are those of the machine.
    if (key === 'stackTrace') return [key, ''];
    if (key === 'data' && typeof value === 'string') return [key, rewritten(value, folder)];
    // Sticky task queues are named after the machine.
    if (typeof value === 'string')
      return [key, value.replaceAll(folder, '/results').replaceAll(hostname(), 'machine')];
    return [key, neutral(value, folder)];
  });
  return Object.fromEntries(entries) as unknown;
}

/** Payloads are base64 in histories. */
function rewritten(base64: string, folder: string): string {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return Buffer.from(text.replaceAll(folder, '/results')).toString('base64');
}
