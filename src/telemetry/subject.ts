/**
 * Which campaign, item and service a log line, a measurement or a span is about. Derived from workflow ids
 * (src/workflows/names.ts); a submission runs in the workflow of a budget, and names its item in its argument.
 */
import { createHash } from 'node:crypto';
import type { ItemEnd, ServiceReference } from '../domain/campaign.ts';
import type { ItemAddress, JobFinish } from '../workflows/activity-types.ts';
import type { SubmitRequest } from '../workflows/submit-types.ts';

export interface Subject {
  readonly campaign?: string;
  /** Workflow id of the item. */
  readonly item?: string;
  /** Run id of the item's workflow. */
  readonly run?: string;
  /** Of the item: 32 hexadecimal digits. */
  readonly traceId?: string;
  readonly service?: string;
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** `item:NAME:ID`, `campaign:NAME`, `budget:SERVICE:ADDRESS` */
export function subjectOfWorkflow({ workflowId, runId }: Execution): Subject {
  const [type, name] = workflowId.split(':');
  if (name === undefined) return {};
  if (type === 'item') return { campaign: name, item: workflowId, run: runId };
  if (type === 'campaign') return { campaign: name };
  return type === 'budget' ? { service: name } : {};
}

/** @param args the arguments of the activity */
export function subjectOfActivity(
  activity: string,
  args: readonly unknown[],
  execution: Execution,
): Subject {
  const service = serviceIn(args);
  const known = { ...subjectOfWorkflow(execution), ...(service !== null && { service }) };
  if (activity === 'submit' || activity === 'launchItem') {
    const { campaign, item, job } = args[0] as SubmitRequest;
    const { run: _, ...ofBudget } = known;
    return { ...ofBudget, campaign, item, traceId: traceIdOf(item, job) };
  }
  const address = addressIn(args);
  if (known.item === undefined || !address) return known;
  return { ...known, traceId: traceIdOf(known.item, address) };
}

/**
 * Every process can derive the trace of an item: the submission runs in the workflow of a budget, before the item has
 * its own workflow.
 *
 * @param item workflow id of the item
 */
export function traceIdOf(
  item: string,
  { tree = '', generation }: Pick<ItemAddress, 'tree' | 'generation'>,
): string {
  const digest = createHash('sha256').update(`${tree} ${item} ${generation}`);
  return digest.digest('hex').slice(0, 32);
}

/** @param run the first one of the campaign, before it continued as new */
export function campaignTraceId(workflowId: string, run: string): string {
  return createHash('sha256').update(`${workflowId} ${run}`).digest('hex').slice(0, 32);
}

/** Activities of an item get its address, or an object that contains it. */
function addressIn(args: readonly unknown[]): Pick<ItemAddress, 'tree' | 'generation'> | null {
  const first = (args[0] ?? {}) as Partial<ItemAddress> & { readonly item?: unknown };
  const { generation, tree } = (first.item ?? first) as Partial<ItemAddress>;
  return typeof generation === 'number'
    ? { generation, ...(tree !== undefined && { tree }) }
    : null;
}

/** Activities get a reference, or an object that contains one. */
function serviceIn(args: readonly unknown[]): string | null {
  for (const arg of args) {
    const { reference = arg } = (arg ?? {}) as { readonly reference?: unknown };
    const { service, credential } = (reference ?? {}) as Partial<ServiceReference>;
    if (typeof service === 'string' && typeof credential === 'string') return service;
  }
  return null;
}

/** The end that an activity has written for its item; null if it has written none. */
export function itemEndOf(activity: string, result: unknown): ItemEnd | null {
  if (activity === 'conclude') return result as ItemEnd;
  if (activity !== 'finishJob') return null;
  const finish = result as JobFinish;
  return finish.type === 'ended' ? finish.end : null;
}
