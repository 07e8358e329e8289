/**
 * The rows of a campaign: a page of them, read from the store (those of one service, in the manifest's order); the start of
 * an item; and the open ones, found, counted and cancelled, because a workflow cannot read the state of others.
 *
 * A page is a picture of the time at which the campaign was prepared. What is true now is in the records of its items:
 * one may have ended since, or have a job. A page is always read whole and in the same order, and what is not to be begun
 * is marked, so that an offset is still right after continue-as-new.
 */
import { log } from '@temporalio/activity';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { pickShare } from '../budget/queue.ts';
import type { SubmitResult } from '../budget/state.ts';
import {
  type Attempt,
  type ItemEnd,
  type ItemEntry,
  type ServiceReference,
  isFinal,
  type Options,
} from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import type { PostTimes } from '../domain/outcomes.ts';
import { listKindsOf, findService } from '../services/registry.ts';
import { runInParallel } from '../domain/process.ts';
import { type ItemRecord, readJobOptions } from '../store/item-record.ts';
import { readItem } from '../store/item-store.ts';
import { readPage, type PageEntry } from '../store/prepared-campaign.ts';
import { readFormerEnd } from '../store/reopen.ts';
import { openResultCacheIfAny } from '../store/deliver.ts';
import { StoreError, nullIfDamaged } from '../store/store.ts';
import type {
  CampaignTree,
  ItemAddress,
  ItemConclusion,
  ItemOfPage,
  SettledResult,
  SubmitRequest,
} from '../workflows/activity-types.ts';
import type { EndBegin, ItemInput, JobBegin } from '../workflows/messages.ts';
import {
  buildItemStart,
  buildItemWorkflowId,
  ATTRIBUTES,
  buildRunningQuery,
} from '../workflows/names.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { openHeldTree } from './leases.ts';
import { nullIfNotFound, wasDelivered, storeFailure } from './retry.ts';

export async function loadPage(
  deps: Dependencies,
  campaign: CampaignTree,
  { service, address }: ServiceReference,
  page: number,
  lanes: readonly string[] = [address],
): Promise<ItemOfPage[]> {
  try {
    const opened = await openHeldTree(deps, campaign);
    const kinds = listKindsOf(findService(service));
    const entries = await readPage(opened, page);
    // A row that gets the result of another one needs no job: `publish` delivers it.
    const own = entries.filter(
      ({ kind, follows }) => kinds.includes(kind) && follows === undefined,
    );
    const rows = new Map<string, ItemOfPage>();
    const settings = new Map<string, Options>();
    await runInParallel(own, opened.atOnce, async (entry) => {
      const record = await readItem(opened, entry.kind, entry.id).catch(nullIfDamaged);
      const row = toItemOfPage(entry, record, lanes);
      rows.set(entry.id, row);
      if (record && !row.ended && !row.isObsolete && record.adopted?.inputKnown !== false)
        settings.set(entry.id, readJobOptions(record));
    });
    const loaded = own.flatMap(({ id }) => rows.get(id) ?? []);
    const worked = await listWorkedSettings(opened.location, lanes, settings);
    return loaded.map((row) =>
      worked.has(JSON.stringify(settings.get(row.id))) ? { ...row, proven: true as const } : row,
    );
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Without a record, which a user may have removed or damaged, the submission says what is wrong. */
function toItemOfPage(
  entry: PageEntry,
  record: ItemRecord | null,
  lanes: readonly string[],
): ItemOfPage {
  const { id, kind, done, generation = 0 } = entry;
  const row = { id, kind, generation };
  if (record === null) return done ? { ...row, ended: { state: done, code: null } } : row;
  if (isFinal(record.state))
    return { ...row, ended: { state: record.state, code: record.error?.code ?? null } };
  const { givenBack = [] } = record;
  const behind = record.generation - generation;
  // It was begun again since: the command that did it writes the page anew. Lanes begin it again without one.
  if (done !== undefined || behind < 0 || behind > givenBack.length)
    return { ...row, isObsolete: true };
  return {
    ...row,
    generation: record.generation,
    ...(givenBack.length > 0 && { givenBack }),
    ...readKnownJob(record, lanes),
  };
}

/** The job that a former run had submitted, if that run did not see its end, or that the row names. */
function readKnownJob(
  record: ItemRecord,
  [first, ...further]: readonly string[],
): Pick<ItemOfPage, 'remoteId' | 'formerEnd' | 'adopted' | 'address'> {
  const { remoteId, adopted, address } = record;
  if (remoteId === null) return {};
  const isFurther = address !== null && further.includes(address);
  const at = isFurther ? { address } : {};
  // Even if the configured service has changed: an adopted job is polled there, and never submitted.
  if (adopted) return { remoteId, adopted: true, ...at };
  // A job of another service, from before the configuration was changed, does not belong to this one.
  if (address !== first && !isFurther) return {};
  const former = readFormerEnd(record);
  return { remoteId, ...(former !== null && { formerEnd: former }), ...at };
}

/**
 * Those of the settings in a page with which a job has succeeded lately, in any lane, as JSON. Without the cache, none is
 * known.
 */
async function listWorkedSettings(
  folder: string,
  lanes: readonly string[],
  settings: ReadonlyMap<string, Options>,
): Promise<ReadonlySet<string>> {
  const worked = new Set<string>();
  const different = new Map(Array.from(settings.values(), (one) => [JSON.stringify(one), one]));
  try {
    const cache = await openResultCacheIfAny(folder);
    for (const [name, options] of different)
      for (const address of lanes)
        if (await cache?.haveWorked(address, options, Date.now())) worked.add(name);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn('settings that have worked lately are unknown', { reason: error.message });
  }
  return worked;
}

/** An item begins with it. */
export function isSettled(result: SubmitResult): result is SettledResult {
  return ['accepted', 'over', 'unable'].includes(result.type);
}

/**
 * Starts the workflow of an item with the answer to its submission, in the activity that has the answer: until then the
 * item waits in the budget's queue, at no cost for the server.
 *
 * Rejected: a start by the campaign after the grant, which delays the job by two workflow tasks; a start delay,
 * from which a signal does not wake a workflow; standalone activities, which have no state, attempts or files to
 * show.
 */
export async function startItem(
  { starter, taskQueue, temporal }: Pick<Dependencies, 'starter' | 'taskQueue' | 'temporal'>,
  request: SubmitRequest,
  reference: ServiceReference,
  answer: SettledResult,
): Promise<void> {
  const { item, campaign, job } = request;
  const { id, kind, generation, store, tree, launch } = job;
  const begin = beginWith(request, answer);
  const address = { id, kind, generation, campaign, store, tree };
  const input = { ...address, reference, ...pickShare(request), ...launch, begin };
  try {
    await starter.workflow.start('item', {
      requestEagerStart: true,
      workflowId: item,
      taskQueue,
      args: [input] satisfies [ItemInput],
      ...buildItemStart(input),
    });
  } catch (error) {
    // By an earlier attempt of this activity, or by a campaign of this name that was terminated.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // One whose job was given up, and that has not closed yet, would leave the row without an item: again in a moment.
    const mayBeFormer = begin.type === 'job' && generation > 0;
    if (mayBeFormer && !(await isOfJob(temporal, request, begin.remoteId))) throw error;
  }
}

/** Whether the item has this job. It may have closed meanwhile. */
async function isOfJob(
  temporal: Client,
  { campaign, job }: SubmitRequest,
  remoteId: string,
): Promise<boolean> {
  const found = await describe(temporal, campaign, job.id);
  return found?.typedSearchAttributes.get(ATTRIBUTES.remoteId) === remoteId;
}

/** How an item begins whose submission has ended so. */
function beginWith(request: SubmitRequest, result: SettledResult): JobBegin | EndBegin {
  const attempts = listAttempts(request);
  switch (result.type) {
    case 'accepted': {
      const { remoteId, found } = result;
      const posted = postTimes(result);
      return { type: 'job', how: found ? 'found' : 'accepted', remoteId, posted, attempts };
    }
    case 'over':
      return { type: 'end', end: result.end, attempts };
    case 'unable': {
      const { code, message } = result;
      // Nothing was sent; the code of the error says why.
      const end: ItemEnd = { state: 'failed', code, message };
      const at = new Date().toISOString();
      return { type: 'end', end, attempts: [...attempts, { at, outcome: 'unable', message }] };
    }
  }
}

/** The submissions of an item until now, in their order. */
function listAttempts({ turnedAway, attempts = [] }: SubmitRequest): Attempt[] {
  const away = turnedAway.map(({ at, reason, message }): Attempt => ({
    at: new Date(at).toISOString(),
    outcome: reason,
    message,
  }));
  return [...attempts, ...away].sort((one, other) => one.at.localeCompare(other.at));
}

/** Empty where the worker died before it reported them. */
function postTimes({ sentAt, answeredAt }: Partial<PostTimes>): Partial<PostTimes> {
  return {
    ...(sentAt !== undefined && { sentAt }),
    ...(answeredAt !== undefined && { answeredAt }),
  };
}

/** Activities.countOpenJobs, of all campaigns. */
export async function countOpenJobs(
  { temporal, taskQueue }: Pick<Dependencies, 'temporal' | 'taskQueue'>,
  { service, credential }: ServiceReference,
  before: number | null,
): Promise<number> {
  const conditions = [
    buildRunningQuery(['item'], { taskQueue, service, credential }),
    `${ATTRIBUTES.remoteId.name} IS NOT NULL`,
    ...(before === null ? [] : [`StartTime < "${new Date(before).toISOString()}"`]),
  ];
  const { count } = await temporal.workflow.count(conditions.join(' AND '));
  return count;
}

/** Activities.checkItems */
export async function checkItems(
  deps: Dependencies,
  address: CampaignTree,
  reference: ServiceReference,
  items: readonly ItemEntry[],
  since: number,
): Promise<string[]> {
  const unstarted: string[] = [];
  for (const item of items) {
    const found = await describe(deps.temporal, address.campaign, item.id);
    if (found?.status.name === 'RUNNING') continue;
    // An earlier one belongs to an earlier campaign of this name, or to an earlier generation; one that has completed
    // without an end has given its job up.
    const isOver = found && found.status.name !== 'COMPLETED' && found.startTime.getTime() >= since;
    if (isOver) await conclude(deps, concludeByHand({ ...item, ...address }, reference));
    else unstarted.push(item.id);
  }
  return unstarted;
}

function concludeByHand(item: ItemAddress, reference: ServiceReference): ItemConclusion {
  const code = 'ITEM_ENDED_BY_HAND' satisfies ItemEndCode;
  const message = 'its workflow was terminated before the item had ended';
  return {
    item,
    reference,
    end: { state: 'failed', code, message },
    remoteId: null,
    attempts: [],
    files: [],
    submittedAt: null,
    finishedAt: new Date().toISOString(),
    timing: null,
    engine: null,
  };
}

/** Cancels the workflows of these items where they run, and returns the ids of the others. */
export async function cancelRunning(
  { temporal }: Pick<Dependencies, 'temporal'>,
  campaign: string,
  ids: readonly string[],
): Promise<string[]> {
  const others: string[] = [];
  for (const id of ids) {
    // The server takes a cancellation of one that has ended, and does nothing.
    const found = await describe(temporal, campaign, id);
    const runs = found?.status.name === 'RUNNING';
    const handle = temporal.workflow.getHandle(buildItemWorkflowId(campaign, id));
    if (!runs || !(await wasDelivered(handle.cancel()))) others.push(id);
  }
  return others;
}

async function describe(
  temporal: Client,
  campaign: string,
  id: string,
): Promise<WorkflowExecutionDescription | null> {
  return nullIfNotFound(temporal.workflow.getHandle(buildItemWorkflowId(campaign, id)).describe());
}
