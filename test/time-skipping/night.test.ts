/**
 * A night in a minute: the real workflows at 100 jobs in 60 minutes for 1,000 items, on Temporal's time-skipping test
 * server. Only the nine hours of waiting are skipped; the timers and the order are real.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTimeSkippingServer } from '../../scripts/time-skipping.ts';
import { GUARD_MS } from '../../src/budget/window.ts';
import type { CampaignSpec } from '../../src/domain/campaign.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { logTo } from '../../src/telemetry/log-target.ts';
import type { BudgetConfiguration } from '../../src/budget/events.ts';
import { configureSignal } from '../../src/workflows/messages.ts';
import { budgetWorkflowId, campaignWorkflowId } from '../../src/workflows/names.ts';
import { ATTRIBUTES } from '../../src/workflows/search-attributes.ts';
import type { ItemOfPage } from '../../src/workflows/activity-types.ts';
import { virtualService, type VirtualService } from './virtual-service.ts';

const LIMIT = 100;
const WINDOW_MS = 3_600_000;
const ITEMS = 1_000;
const JOB_MS = 1_200_000;
const PAGES = 2;
const TASK_QUEUE = 'night';

const REFERENCE = { service: 'predictions', address: 'virtual', credential: 'c0ffee00' } as const;

/**
 * Two, because this server stops skipping time permanently when an item ends whose campaign has continued as new
 * meanwhile, as one of 1,000 items does. They share the budget, which continues as new in between.
 */
const CAMPAIGNS = ['evening', 'night'] as const;

function specOf(name: string): CampaignSpec {
  return {
    name,
    store: name,
    tree: name,
    items: ITEMS / CAMPAIGNS.length,
    retried: 0,
    following: 0,
    invalid: 0,
    cache: true,
    notify: [],
    priority: 3,
    user: null,
    feeds: [{ reference: REFERENCE, pages: PAGES, open: 2 * LIMIT, batch: LIMIT }],
    policy: { deadlineMs: 4 * WINDOW_MS, whenUnsure: 'hold' },
  };
}

const BUDGET: BudgetConfiguration = {
  credential: REFERENCE.credential,
  credentialLimit: { limit: LIMIT, windowMs: WINDOW_MS },
};

function pageOf(campaign: string, page: number): ItemOfPage[] {
  const length = ITEMS / CAMPAIGNS.length / PAGES;
  const itemOf = (n: number) => ({ id: `${campaign}-${n}`, kind: 'sequence' as const });
  return Array.from({ length }, (_, n) => ({ ...itemOf(page * length + n), generation: 0 }));
}

/** temporal.api.enums.v1.IndexedValueType */
const KEYWORD = 2;

/** This server can only be configured, not queried. Without them no child ever starts, without an error. */
async function registerSearchAttributes({ connection }: TestWorkflowEnvironment): Promise<void> {
  const names = Object.values(ATTRIBUTES).map(({ name }) => [name, KEYWORD]);
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(names) as Record<string, number>,
  });
}

/** Starts the budget and the campaigns like a worker and a command, and waits for their end. */
async function runNight(environment: TestWorkflowEnvironment): Promise<void> {
  const { client } = environment;
  await client.workflow.signalWithStart('budget', {
    workflowId: budgetWorkflowId(REFERENCE),
    taskQueue: TASK_QUEUE,
    args: [{ service: REFERENCE.service, address: REFERENCE.address }],
    signal: configureSignal,
    signalArgs: [BUDGET],
    workflowTaskTimeout: '5s',
  });
  const campaigns = CAMPAIGNS.map((name) =>
    client.workflow.start('campaign', {
      workflowId: campaignWorkflowId(name),
      taskQueue: TASK_QUEUE,
      args: [{ spec: specOf(name) }],
    }),
  );
  for (const campaign of await Promise.all(campaigns)) await campaign.result();
}

const server = findTimeSkippingServer();
const skipped = 'missing' in server ? ` (skipped: ${server.missing})` : '';

describe.skipIf('missing' in server)(`1,000 items at 100 in 60 minutes${skipped}`, () => {
  let environment: TestWorkflowEnvironment | null = null;
  let service: VirtualService;
  let endedAt: number;
  /** Real time of the run, in ms: virtual time passes equally while work is done. */
  let tookMs: number;

  beforeAll(async () => {
    if ('missing' in server) return;
    // Its own output is long and irrelevant for a test run.
    logTo(() => undefined);
    environment = await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path: server.path } },
    });
    await registerSearchAttributes(environment);
    const night = { limit: LIMIT, windowMs: WINDOW_MS, jobMs: JOB_MS, pageOf };
    service = virtualService({ environment, ...night });
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: TASK_QUEUE,
      workflowBundle: await workflowBundle(),
      activities: service.activities,
      maxCachedWorkflows: 1_000,
    });
    const startedAt = performance.now();
    await worker.runUntil(runNight(environment));
    tookMs = performance.now() - startedAt;
    endedAt = await environment.currentTimeMs();
  }, 1_800_000);

  afterAll(async () => {
    await environment?.teardown();
  }, 180_000);

  test('every item is submitted once, none is refused, and no window of 60 minutes has more than 100 jobs', () => {
    expect(service.refused, 'submissions answered with 429').toEqual([]);
    expect(service.repeated, 'items submitted twice').toEqual([]);
    expect(service.stamps.size).toBe(ITEMS);
    const succeeded = [...service.ends.values()].filter((state) => state === 'succeeded');
    expect(succeeded, 'items that ended well').toHaveLength(ITEMS);
    const spans = stamps().map((stamp, i, all) => (all[i + LIMIT] ?? Infinity) - stamp);
    const least = Math.min(...spans);
    expect(least, 'ms from a job to the hundredth after it').toBeGreaterThanOrEqual(WINDOW_MS);
  });

  test('the campaign takes nine hours, plus the last job', () => {
    const [first = 0, last = 0] = [stamps()[0], stamps().at(-1)];
    const rounds = ITEMS / LIMIT - 1;
    // Each round adds a window and the guard after the last one; the rest is the processing time of this machine.
    const idle = last - first - rounds * (WINDOW_MS + GUARD_MS);
    expect(idle, 'ms from first to last submission beyond nine windows').toBeGreaterThanOrEqual(0);
    expect(idle, 'ms that slots lay idle').toBeLessThan(Math.min(tookMs, rounds * 10_000));
    const tail = endedAt - last - JOB_MS;
    expect(tail, 'ms from the end of the last job to the end of the campaign').toBeGreaterThan(0);
    expect(tail).toBeLessThan(Math.min(tookMs, 60_000));
  });

  const stamps = () => [...service.stamps.values()].sort((a, b) => a - b);
});
