/**
 * Which campaign, item and service a log line, a measurement or a span is about. Workflow ids say it
 * (src/workflows/names.ts); a submission runs in the workflow of a budget, and names its item in its argument.
 */
import type { ItemEnd, ServiceReference } from '../domain/campaign.ts';
import type { JobFinish, SubmitRequest } from '../workflows/verbs.ts';

export interface Subject {
  readonly campaign?: string;
  /** Workflow id of the item. */
  readonly item?: string;
  /** Run id of the item's workflow; without hyphens, it is the id of the item's trace. */
  readonly run?: string;
  readonly service?: string;
}

export interface Execution {
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

/** @param args what the activity was called with */
export function subjectOfActivity(
  activity: string,
  args: readonly unknown[],
  execution: Execution,
): Subject {
  const service = serviceIn(args);
  const known = { ...subjectOfWorkflow(execution), ...(service !== null && { service }) };
  if (activity !== 'submit') return known;
  const { campaign, item, run } = args[0] as SubmitRequest;
  return { ...known, campaign, item, ...(run !== undefined && { run }) };
}

/** A run id is a UUID: 128 bits, as a trace id has. Null where it is something else. */
export function traceIdOf(run: string | undefined): string | null {
  const digits = run?.replaceAll('-', '').toLowerCase() ?? '';
  return /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : null;
}

/** Activities are given a reference, or something that has one. */
function serviceIn(args: readonly unknown[]): string | null {
  for (const arg of args) {
    const { reference = arg } = (arg ?? {}) as { readonly reference?: unknown };
    const { service, credential } = (reference ?? {}) as Partial<ServiceReference>;
    if (typeof service === 'string' && typeof credential === 'string') return service;
  }
  return null;
}

/** The end that an activity has written for its item; null where it has written none. */
export function itemEndOf(activity: string, result: unknown): ItemEnd | null {
  if (activity === 'conclude') return result as ItemEnd;
  if (activity !== 'finishJob') return null;
  const finish = result as JobFinish;
  return finish.type === 'ended' ? finish.end : null;
}
