/** The workflow of a campaign: whether it runs, and how it is started for a prepared tree. */
import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { nullIfNotFound } from '../activities/retry.ts';
import type { Policy } from '../budget/policy.ts';
import type { ServiceSettings } from '../config/services.ts';
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
import type { ManifestDigest } from '../manifest/sources.ts';
import { listKindsOf, findService } from '../services/registry.ts';
import { createTreeNotHereError, ensureTreeId, readTreeId } from '../store/lease.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
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
import type { OnNotice } from './session.ts';

/** A running campaign, as recorded at its start. */
export interface Running {
  readonly out: unknown;
  /** Id of that tree. */
  readonly tree: unknown;
  /** Which items it runs again, where `retry` started it. */
  readonly retry: unknown;
}

/** The campaign's newest run: where it writes to and, while it is open, how it was started. Null when Temporal knows none. */
export async function findCampaignRun(
  { client }: Pick<Session, 'client'>,
  name: string,
): Promise<{ readonly out: unknown; readonly running: Running | null } | null> {
  const found = await nullIfNotFound(
    client.workflow.getHandle(buildCampaignWorkflowId(name)).describe(),
  );
  if (found === null) return null;
  const { out, tree, retry } = found.memo ?? {};
  const running = found.status.name === 'RUNNING' ? { out, tree, retry } : null;
  return { out, running };
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
  /** Nothing is submitted before (ms since the epoch). */
  readonly startsAt?: number;
  readonly onNotice: OnNotice;
}

/** What was prepared in its tree. */
export interface PreparedTree extends Pick<
  CampaignSpec,
  'items' | 'invalid' | 'following' | 'cache' | 'retried'
> {
  readonly pages: number;
  readonly manifests: readonly ManifestDigest[];
  /** Which items are run again, where it is a retry. */
  readonly retry?: string;
}

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
  prepare: () => Promise<PreparedTree | null>,
): Promise<boolean> {
  const { feeds, onNotice } = order;
  await takeOver({ session, held, feeds, onNotice });
  const prepared = await prepare();
  const tree = await ensureTreeId(held.store);
  await held.check();
  if (prepared === null) return false;
  await forgetPause(session, order);
  await startWorkflow(session, order, prepared, tree);
  held.isLeft = true;
  return true;
}

async function startWorkflow(
  session: Session,
  order: Order,
  prepared: PreparedTree,
  tree: string,
): Promise<void> {
  const { name } = order;
  const spec = buildCampaignSpec(session, order, prepared, tree);
  await session.client.workflow.start('campaign', {
    workflowId: buildCampaignWorkflowId(name),
    taskQueue: session.taskQueue,
    args: [{ spec }] satisfies [CampaignInput],
    // Two commands typed at once: the second finds the first one's campaign.
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: '5s',
    staticSummary: `campaign ${name}: ${spec.items} items`,
    staticDetails: formatCampaignAtStart(
      spec,
      prepared.manifests.map(({ file }) => file),
    ),
    memo: buildMemo(order, prepared, tree),
    typedSearchAttributes: [
      { key: ATTRIBUTES.campaign, value: name },
      { key: ATTRIBUTES.state, value: 'running' },
    ],
  });
}

function buildCampaignSpec(
  session: Session,
  { name, folder, feeds, policy, priority, notify = false, startsAt }: Order,
  { pages, manifests: _, retry: __, ...counted }: PreparedTree,
  tree: string,
): CampaignSpec {
  return {
    ...counted,
    tree,
    ...describeShared(session),
    name,
    store: folder,
    policy,
    priority,
    notify,
    feeds: buildFeedSpecs(feeds, pages, session),
    ...(startsAt !== undefined && { startsAt }),
  };
}

/** What workers and commands read of a campaign without a query. */
function buildMemo(
  { folder, feeds, priority }: Order,
  { retry }: PreparedTree,
  tree: string,
): Record<string, unknown> {
  return {
    out: folder,
    tree,
    startedAt: new Date().toISOString(),
    services: feeds.map(({ reference }) => reference),
    ...(retry !== undefined && { retry }),
    priority,
  };
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
  feeds: readonly ServiceSettings[],
  pages: number,
  { role }: Pick<Session, 'role'>,
): FeedSpec[] {
  return feeds.map(({ reference, policy, lane }) => {
    const limit = computeBurst(policy);
    return {
      reference,
      pages,
      // Workers of other tokens may work there.
      ...(role === 'remote' && { fetchQueue: fetchTaskQueue(reference) }),
      // Of a lane, some wait there so that no engine does. Beside one, what waits is taken back by it.
      open: lane ? 2 * lane.maxOpen + 2 : computeMaxOpen(limit),
      batch: lane ? 1 : computeBatch(limit),
    };
  });
}

/** Workers of other users, and such that only publish, may be at a shared Temporal; there others see who started what. */
function describeShared({
  role,
  taskQueue,
}: Pick<Session, 'role' | 'taskQueue'>): Pick<CampaignSpec, 'publishQueue' | 'user'> {
  if (role !== 'remote') return { user: null };
  return { publishQueue: publishTaskQueue(taskQueue), user: readUser() };
}

/** The name of the login; null where the system knows none, as for a user id of a container. */
function readUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** The most that can become free at once; null without a limit. */
function computeBurst({ windows }: Policy): number | null {
  return windows.length === 0 ? null : Math.min(...windows.map(({ limit }) => limit));
}

const OPEN_WITHOUT_LIMIT = 300;
const MAX_OPEN_ITEMS = 1_000;

/** At least twice the limit plus the jobs running, or slots would be idle when they all become free at once. */
function computeMaxOpen(limit: number | null): number {
  return limit === null ? OPEN_WITHOUT_LIMIT : Math.min(MAX_OPEN_ITEMS, 2 * limit + 100);
}

const BATCH_WITHOUT_LIMIT = 25;
const MAX_BATCH = 100;

/** A whole window in one signal; without a limit, small batches, so that starts do not delay other work. */
function computeBatch(limit: number | null): number {
  return limit === null ? BATCH_WITHOUT_LIMIT : Math.max(1, Math.min(MAX_BATCH, limit));
}

/** A short form of ids: every poll of the campaign reads its memo. */
export function computeDigestOfIds(ids: Iterable<string>): string {
  return createHash('sha256')
    .update([...ids].sort().join(' '))
    .digest('hex')
    .slice(0, 16);
}

/**
 * `joins`: the folder is the tree of the campaign that runs. `obsolete`: another Temporal has taken the tree over
 * since, or the folder was replaced.
 * @throws StoreError `TREE_NOT_HERE`: the folder is empty; a disk may not be mounted
 */
export async function compareTrees(store: Store, { tree }: Running): Promise<'joins' | 'obsolete'> {
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
