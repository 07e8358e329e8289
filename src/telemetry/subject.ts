/**
 * Which campaign, item and service a log line or a measurement is about. Derived from workflow ids
 * (src/workflows/names.ts); a submission runs in the workflow of a budget, and names its item in its argument.
 */
import type { ItemEnd, ServiceReference } from '../domain/campaign.ts';
import type { JobFinish } from '../workflows/activity-types.ts';
import type { SubmitRequest } from '../workflows/submit-types.ts';

export interface Subject {
  readonly campaign?: string;
  /** Workflow id of the item. */
  readonly item?: string;
  /** Run id of the item's workflow. */
  readonly run?: string;
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
    const { campaign, item } = args[0] as SubmitRequest;
    const { run: _, ...ofBudget } = known;
    return { ...ofBudget, campaign, item };
  }
  return known;
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
