/**
 * How many submissions a second one budget grants: its workflow as in production, with a `submit` that answers at once.
 * No item begins, so that nothing but the budget takes time. Here with the embedded server, in
 * postgres.ts with PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { budgetStart } from '../src/activities/watch.ts';
import { readClock, readSteadyClock } from '../src/activities/read-clock.ts';
import type { BudgetConfiguration } from '../src/budget/events.ts';
import type { Request } from '../src/budget/request.ts';
import { systemClock } from '../src/ledger/steady-clock.ts';
import { workflowBundle } from '../src/temporal/bundle.ts';
import { temporalCli } from '../src/temporal/cli.ts';
import { startDevServer, stopDevServer } from '../src/temporal/dev-server.ts';
import type { SubmitAnswer, SubmitRequest } from '../src/workflows/submit-types.ts';
import { configureSignal, requestSignal } from '../src/workflows/messages.ts';

/** Requests that wait at any time: a campaign asks for its items this many ahead. */
const AHEAD = 200;
const AT_ONCE = 50;
const REFERENCE = { service: 'predictions', address: 'grants.example' } as const;
const CREDENTIAL = 'bench';
/** Never full below 166 a second. */
const LIMIT = { limit: 100_000, windowMs: 600_000 };

/** When each request was made and granted (ms). */
class Grants {
  readonly #asked = new Map<string, number>();
  /** From a request to its grant, in order of the grants. */
  readonly waits: { readonly at: number; readonly ms: number }[] = [];
  #next = 0;

  get missing(): number {
    return AHEAD - this.#asked.size;
  }

  request(): Request {
    const id = `row-${(this.#next += 1)}`;
    this.#asked.set(id, performance.now());
    const job = { id, generation: 0 };
    return {
      item: id,
      run: 'first',
      campaign: 'bench',
      credential: CREDENTIAL,
      attempt: 0,
      weight: 1,
      job,
    };
  }

  granted({ item }: SubmitRequest): SubmitAnswer {
    const at = performance.now();
    const asked = this.#asked.get(item);
    if (asked === undefined) throw new Error(`${item} was granted twice`);
    this.#asked.delete(item);
    this.waits.push({ at, ms: at - asked });
    return { type: 'accepted', remoteId: item, rateLimit: null, told: true };
  }
}

export async function grants(seconds: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'hundredfold-grants-'));
  const server = await startDevServer({ dir, executable: temporalCli(), headless: true });
  try {
    return await measureGrants(server.address, seconds);
  } finally {
    await stopDevServer(server);
    rmSync(dir, { recursive: true });
  }
}

/** With the server at this address, in its namespace `default`. */
export async function measureGrants(address: string, seconds: number): Promise<string> {
  // No campaign is there to hear how far its rows have come, which is logged.
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'error', forward: {} } },
  });
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const taskQueue = `grants-${process.pid}`;
  const all = new Grants();
  const steadyClock = systemClock();
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: {
      readClock,
      readSteadyClock: () => Promise.resolve(readSteadyClock({ steadyClock })),
      submit: (request: SubmitRequest) => Promise.resolve(all.granted(request)),
    },
  });
  try {
    return await worker.runUntil(() => grantFor(seconds, client, taskQueue, all));
  } finally {
    await native.close();
    await connection.close();
  }
}

async function grantFor(
  seconds: number,
  client: Client,
  taskQueue: string,
  all: Grants,
): Promise<string> {
  const limits: BudgetConfiguration = {
    credential: CREDENTIAL,
    credentialLimit: LIMIT,
    addressLimit: { limit: null, windowMs: LIMIT.windowMs },
  };
  const handle = await client.workflow.signalWithStart('budget', {
    ...budgetStart(REFERENCE, taskQueue),
    signal: configureSignal,
    signalArgs: [limits],
  });
  const began = performance.now();
  while (performance.now() - began < seconds * 1_000) {
    if (all.missing < AT_ONCE) {
      await delay(5);
      continue;
    }
    const requests = Array.from({ length: AT_ONCE }, () => all.request());
    await handle.signal(requestSignal, requests);
  }
  // The run of now: it may have continued as new.
  const newest = client.workflow.getHandle(handle.workflowId);
  const description = await newest.describe();
  await newest.terminate('measured');
  return describe(
    all,
    began,
    seconds,
    description.raw.workflowExecutionInfo?.firstRunId === description.runId,
  );
}

function describe(all: Grants, began: number, seconds: number, isFirstRun: boolean): string {
  const minutes: number[][] = [];
  for (const { at, ms } of all.waits) (minutes[Math.floor((at - began) / 60_000)] ??= []).push(ms);
  const rate = (all.waits.length / seconds).toFixed(1);
  const parts = minutes.map((waits) => {
    const sorted = waits.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(0);
    return `${waits.length} (${at(0.5)}, ${at(0.99)} ms)`;
  });
  const renewed = isFirstRun ? 'without' : 'with';
  return `${all.waits.length} grants in ${seconds} s: ${rate} a second, ${renewed} continue-as-new; by minute (p50, p99 from request to grant): ${parts.join(', ')}`;
}
