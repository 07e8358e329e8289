/** Workflow code of another version: its histories cannot be replayed with the current code. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { TemporalAddress } from '../src/temporal/connection.ts';
import { connectWorker } from '../src/temporal/workers.ts';

const QUIET = new DefaultLogger('ERROR', () => undefined);

/** A workflow that starts with a timer, unlike all current ones. */
export const unreplayable = (type: 'budget' | 'campaign'): string =>
  `export async function ${type}() { await sleep('1 day'); }`;

/** Started; a task scheduled, started and completed: the next event is the decision. */
const DECIDED = 4;

interface Beginning {
  readonly temporal: TemporalAddress;
  readonly taskQueue: string;
  /** Starts the workflow. */
  readonly begin: () => Promise<Pick<WorkflowHandle, 'fetchHistory'>>;
}

/** Runs a workflow with other code until its first decision is in its history. No other worker may run. */
export async function beginWith(code: string, { temporal, taskQueue, begin }: Beginning) {
  const workflowBundle = await bundleOf(code);
  const connection = await connectWorker(temporal);
  try {
    const worker = await Worker.create({ connection, taskQueue, workflowBundle });
    await worker.runUntil(async () => {
      const handle = await begin();
      // Without its own timeout: the test has one, and a busy machine is slow.
      while (((await handle.fetchHistory()).events?.length ?? 0) <= DECIDED) await delay(100);
    });
  } finally {
    await connection.close();
  }
}

/** The arguments of a workflow: with them the current code must reach its first decision. */
export async function argumentsOf(
  handle: Pick<WorkflowHandle, 'fetchHistory'>,
): Promise<unknown[]> {
  const [started] = (await handle.fetchHistory()).events ?? [];
  const { payloads } = started?.workflowExecutionStartedEventAttributes?.input ?? {};
  return (payloads ?? []).map((one) => defaultPayloadConverter.fromPayload(one));
}

async function bundleOf(code: string): Promise<WorkflowBundleWithSourceMap> {
  const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'other-workflows-'));
  const workflowsPath = join(folder, 'workflows.ts');
  const imports = "import { condition, sleep } from '@temporalio/workflow';";
  await writeFile(workflowsPath, `${imports}\nvoid [condition, sleep];\n${code}\n`);
  try {
    return await bundleWorkflowCode({ workflowsPath, logger: QUIET });
  } finally {
    await rm(folder, { recursive: true });
  }
}
