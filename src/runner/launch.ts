/** The workflow of a campaign: whether it runs, and how it is started for a prepared tree. */
import { userInfo } from 'node:os';
import { nullIfNotFound } from '../activities/retry.ts';
import type { Policy } from '../budget/policy.ts';
import type { Lane, ServiceSettings } from '../config/services.ts';
import type {
  CampaignSpec,
  FeedSpec,
  JobPolicy,
  ServiceReference,
  ServiceName,
} from '../domain/campaign.ts';
import { findLocalName } from '../temporal/host/local.ts';
import type { Session } from '../temporal/host/session.ts';
import { findSource } from '../kinds/registry.ts';
import { listKindsOf, findService } from '../services/registry.ts';
import { createTreeNotHereError, ensureTreeId, readTreeId } from '../store/lease.ts';
import {
  createNotPreparedError,
  type PreparedCampaign,
  readInvalidRows,
  readPreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { formatCampaignAtStart } from '../workflows/details.ts';
import { type CampaignInput, pauseLineSignal, withdrawRunSignal } from '../workflows/messages.ts';
import {
  buildBudgetWorkflowId,
  buildCampaignWorkflowId,
  fetchTaskQueue,
  publishTaskQueue,
  ATTRIBUTES,
  buildRunningQuery,
} from '../workflows/names.ts';
import { type HeldTree, takeOver } from './hold-tree.ts';
import type { ServiceEngines } from './lanes.ts';
import type { OnNotice } from './session.ts';

/** The newest run of a campaign, as recorded at its start. */
export interface CampaignRun {
  readonly isRunning: boolean;
  readonly out: unknown;
  /** Id of that tree. */
  readonly tree: unknown;
  /** Which items it runs again, where `retry` started it. */
  readonly retry: unknown;
}

/** Null when Temporal knows none. */
export async function findCampaignRun(
  { client }: Pick<Session, 'client'>,
  name: string,
): Promise<CampaignRun | null> {
  const handle = client.workflow.getHandle(buildCampaignWorkflowId(name));
  const found = await nullIfNotFound(handle.describe());
  if (found === null) return null;
  const { out, tree, retry } = found.memo ?? {};
  return { isRunning: found.status.name === 'RUNNING', out, tree, retry };
}

/** Which campaign is started, and how. */
export interface Order {
  readonly name: string;
  /** The campaign's output tree. */
  readonly folder: string;
  readonly feeds: readonly ServiceSettings[];
  readonly policy: JobPolicy;
  /** From 1 (first) to 5 (last), among campaigns with the same token. */
  readonly priority: number;
  /** Whether a webhook is notified of the end. */
  readonly notify?: boolean;
  /** False: results are not kept for later campaigns. */
  readonly keepResults?: boolean;
  /** Which items are run again, where it is a retry. */
  readonly retry?: string;
  /** Nothing is submitted before (ms since the epoch). */
  readonly startsAt?: number;
  /** What the last results of services told of their engines. */
  readonly engines: ServiceEngines;
  readonly onNotice: OnNotice;
}

/** What was prepared in its tree, besides what the tree says. */
export type PreparedRows = Pick<CampaignSpec, 'following' | 'retried'>;

/**
 * Starts the campaign of a tree that is held: what the tree shows of jobs counts here before its records are written
 * anew.
 *
 * @param prepare writes the records; null: there is nothing to do
 * @returns whether it was started
 */
export async function launch(
  session: Session,
  held: HeldTree,
  order: Order,
  prepare: () => Promise<PreparedRows | null>,
): Promise<boolean> {
  const { feeds, onNotice } = order;
  await takeOver({ session, held, feeds, onNotice });
  const prepared = await prepare();
  const tree = await ensureTreeId(held.store);
  await held.check();
  if (prepared === null) return false;
  await forgetPause(session, order);
  await startWorkflow(session, order, { ...prepared, tree, ...(await countItems(held.store)) });
  held.isLeft = true;
  return true;
}

interface CountedItems extends Pick<CampaignSpec, 'items' | 'invalid'> {
  readonly campaign: PreparedCampaign;
}

/** As the tree lists them, with the rows that were skipped. */
export async function countItems(store: Store): Promise<CountedItems> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw createNotPreparedError(store, 'it was removed');
  const invalid = (await readInvalidRows(store)).length;
  return { campaign, items: campaign.items + invalid, invalid };
}

async function startWorkflow(
  session: Session,
  order: Order,
  { campaign, ...counted }: CountedItems & PreparedRows & Pick<CampaignSpec, 'tree'>,
): Promise<void> {
  const { name, folder, feeds, policy, priority, startsAt, retry } = order;
  const { notify = false, keepResults: cache = true } = order;
  const { tree, items } = counted;
  const { role, taskQueue } = session;
  const spec: CampaignSpec = {
    ...counted,
    name,
    store: folder,
    policy,
    priority,
    notify,
    cache,
    feeds: buildFeedSpecs(order, campaign.pages, session),
    ...(startsAt !== undefined && { startsAt }),
    // Workers that only publish may be at a shared Temporal; there others see who started what.
    ...(role === 'remote' && { publishQueue: publishTaskQueue(taskQueue) }),
    user: role === 'remote' ? readUser() : null,
  };
  await session.client.workflow.start('campaign', {
    workflowId: buildCampaignWorkflowId(name),
    taskQueue,
    args: [{ spec }] satisfies [CampaignInput],
    // Two commands typed at once: the second finds the first one's campaign.
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: '5s',
    staticSummary: `campaign ${name}: ${items} items`,
    staticDetails: formatCampaignAtStart(
      spec,
      campaign.manifestDigests.map(({ file }) => file),
    ),
    // What workers and commands read of it without a query.
    memo: {
      out: folder,
      tree,
      startedAt: new Date().toISOString(),
      services: feeds.map(({ reference }) => reference),
      ...(retry !== undefined && { retry }),
      priority,
    },
    typedSearchAttributes: [
      { key: ATTRIBUTES.campaign, value: name },
      { key: ATTRIBUTES.state, value: 'running' },
    ],
  });
}

/**
 * A campaign that was paused when it ended (cancelled, most often) is still paused in the budgets, which know it by its
 * name: started again, it would wait forever and report that it is running.
 */
async function forgetPause(
  { client }: Session,
  { name, feeds }: Pick<Order, 'name' | 'feeds'>,
): Promise<void> {
  for (const { reference } of feeds) {
    const budget = client.workflow.getHandle(buildBudgetWorkflowId(reference));
    // Where no worker has been yet, nothing can have been paused.
    await nullIfNotFound(budget.signal(pauseLineSignal, { campaign: name, paused: false }));
  }
}

/**
 * The settings in effect, as written to campaign.json: without secrets; with the SHA-256 of the plugins of these services,
 * by their entry in the configuration.
 */
export function describeSettings(feeds: readonly ServiceSettings[], jobs: JobPolicy) {
  const main = feeds.filter(({ lane }) => !lane);
  const services = main.map(({ reference, url, config, policy }) => [
    reference.service,
    {
      // The port of the local services is chosen when they start, and says nothing afterwards.
      url: findLocalName(reference.address) ?? url,
      ...config,
      credential: reference.credential,
      budget: policy,
      ...describeLanes(feeds, reference.service),
    },
  ]);
  const kinds = feeds.flatMap(({ reference }) => listKindsOf(findService(reference.service)));
  const plugins = kinds.flatMap((kind) => findSource(kind) ?? []);
  return {
    services: Object.fromEntries(services) as Record<string, unknown>,
    jobs,
    ...(plugins.length > 0 && {
      plugins: Object.fromEntries(plugins.map(({ plugin, sha256 }) => [plugin, sha256])),
    }),
  };
}

/** By the address in the records of items; nothing where there are none. */
function describeLanes(feeds: readonly ServiceSettings[], service: ServiceName) {
  const lanes = feeds.flatMap(({ reference: { address, ...reference }, lane }) =>
    lane && reference.service === service ? [{ address, ...lane }] : [],
  );
  return lanes.length === 0 ? {} : { lanes };
}

export function buildFeedSpecs(
  { feeds, engines }: Pick<Order, 'feeds' | 'engines'>,
  pages: number,
  { role }: Pick<Session, 'role'>,
): FeedSpec[] {
  return feeds.map(({ reference, policy, lane }) => ({
    reference,
    pages,
    // Workers of other tokens may work there.
    ...(role === 'remote' && { fetchQueue: fetchTaskQueue(reference) }),
    ...(lane ? computeLaneSizes(lane) : computeSizes(policy)),
    ...(lane?.sameEngine === false && {
      checked: { name: lane.name, ...engines[reference.service] },
    }),
  }));
}

type Sizes = Pick<FeedSpec, 'open' | 'batch'>;

/** Some wait there so that no engine does. Beside a lane, what waits is taken back by it. */
function computeLaneSizes({ maxOpen }: Lane): Sizes {
  return { open: 2 * maxOpen + 2, batch: 1 };
}

/** Without a limit, small batches, so that starts do not delay other work. */
const WITHOUT_LIMIT: Sizes = { open: 300, batch: 25 };
const MAX_OPEN_ITEMS = 1_000;
const MAX_BATCH = 100;

/**
 * A whole window in one signal. At least twice the limit plus the jobs running are open, or slots would be idle when they
 * all become free at once.
 */
function computeSizes({ windows }: Policy): Sizes {
  if (windows.length === 0) return WITHOUT_LIMIT;
  const limit = Math.min(...windows.map((window) => window.limit));
  return {
    open: Math.min(MAX_OPEN_ITEMS, 2 * limit + 100),
    batch: Math.max(1, Math.min(MAX_BATCH, limit)),
  };
}

/** The name of the login; null where the system knows none, as for a user id of a container. */
function readUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/**
 * `joins`: the folder is the tree of the campaign that runs. `obsolete`: another Temporal has taken the tree over
 * since, or the folder was replaced.
 * @throws StoreError `TREE_NOT_HERE`: the folder is empty; a disk may not be mounted
 */
export async function compareTrees(
  store: Store,
  { tree }: CampaignRun,
): Promise<'joins' | 'obsolete'> {
  if (typeof tree !== 'string') return 'joins';
  const found = await readTreeId(store);
  if (found !== null) return found === tree ? 'joins' : 'obsolete';
  // Only its id was removed or damaged: it is written again.
  if ((await readPreparedCampaign(store)) !== null) return 'joins';
  throw createTreeNotHereError(store.location, 'the folder is empty, and the campaign is running');
}

/** Ends the workflows of such a campaign without writing to the tree. Its jobs at the services are recorded there. */
export async function endObsolete(
  { client }: Pick<Session, 'client'>,
  name: string,
  onNotice: OnNotice,
  reason = 'its output tree is no longer the one with which it was started',
): Promise<void> {
  const campaign = client.workflow.getHandle(buildCampaignWorkflowId(name));
  const { memo, raw } = await campaign.describe();
  await nullIfNotFound(campaign.terminate(reason));
  // Written by `launch`.
  const services = (memo?.['services'] ?? []) as readonly ServiceReference[];
  const run = raw.workflowExecutionInfo?.firstRunId ?? '';
  for (const reference of services) {
    // A slot must not be spent on what has ended.
    const budget = client.workflow.getHandle(buildBudgetWorkflowId(reference));
    await nullIfNotFound(budget.signal(withdrawRunSignal, { campaign: name, run }));
  }
  const query = buildRunningQuery(['item'], { campaign: name });
  for await (const { workflowId } of client.workflow.list({ query }))
    await nullIfNotFound(client.workflow.getHandle(workflowId).terminate(reason));
  onNotice(`The campaign ${name} that ran here before was ended: ${reason}.`);
}
