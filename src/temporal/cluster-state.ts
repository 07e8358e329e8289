/**
 * The state of a Temporal server and one of its namespaces, read by calls that change nothing. Each part is read
 * separately: a server that refuses one of them (Temporal Cloud the operator service, a gateway any of them) still
 * answers the rest.
 *
 * Permissions are tested with a count and a signal to a workflow that does not exist, which a server refuses before it
 * looks the workflow up. Rejected: reading roles, which every authorizer stores differently.
 */
import type { Client } from '@temporalio/client';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import { STATUS, statusOf } from './grpc-status.ts';
import { isClosed } from './refusals.ts';

/** A call that was not permitted, by name, with the server's message. */
export interface Closed {
  readonly closed: string;
  readonly words: string;
}

/** temporal.api.enums.v1.IndexedValueType */
export const ATTRIBUTE_TYPES: Readonly<Record<number, string>> = {
  1: 'Text',
  2: 'Keyword',
  3: 'Int',
  4: 'Double',
  5: 'Bool',
  6: 'Datetime',
  7: 'KeywordList',
};
export const KEYWORD = 2;
export const ATTRIBUTE_NAMES: readonly string[] = Object.values(ATTRIBUTES).map(({ name }) => name);

interface ServerState {
  readonly version: string;
  /** Names of enabled capabilities. */
  readonly capabilities: readonly string[];
}

/** null: there is no such namespace. */
export async function readNamespace(
  client: Client,
): Promise<
  { readonly retentionMs: number; readonly capabilities: readonly string[] } | Closed | null
> {
  const { namespace } = client.options;
  try {
    const found = await client.workflowService.describeNamespace({ namespace });
    const { seconds = 0, nanos = 0 } = found.config?.workflowExecutionRetentionTtl ?? {};
    const retentionMs = Number(seconds) * 1_000 + (nanos ?? 0) / 1e6;
    return { retentionMs, capabilities: switchedOn(found.namespaceInfo?.capabilities) };
  } catch (error) {
    if (statusOf(error)?.code === STATUS.notFound) return null;
    return closedBy('DescribeNamespace', error);
  }
}

export async function readServer(client: Client): Promise<ServerState | Closed> {
  try {
    const { serverVersion, capabilities } = await client.workflowService.getSystemInfo({});
    return { version: serverVersion, capabilities: switchedOn(capabilities) };
  } catch (error) {
    return closedBy('GetSystemInfo', error);
  }
}

/** The search attributes of the namespace by name, as numbers of IndexedValueType. */
export async function readAttributes(
  client: Client,
): Promise<Readonly<Record<string, number>> | Closed> {
  const { namespace } = client.options;
  try {
    const { operatorService } = client.connection;
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return customAttributes;
  } catch (error) {
    return closedBy('OperatorService.ListSearchAttributes', error);
  }
}

/** Whether workflows can be started with our attributes: a query is checked against the same list. null: unknown. */
export async function attributesAreKnown(client: Client): Promise<boolean | null> {
  const { namespace } = client.options;
  const query = ATTRIBUTE_NAMES.map((name) => `${name} = "?"`).join(' AND ');
  try {
    await client.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if (/search attribute|mapping defined/i.test(statusOf(error)?.details ?? '')) return false;
    if (isClosed(error)) return null;
    throw error;
  }
}

/** Calls that we need, each made so that it changes nothing: a server checks permissions before anything else. */
const CALLS: Readonly<Record<string, (client: Client, namespace: string) => Promise<unknown>>> = {
  'read (CountWorkflowExecutions)': ({ workflowService }, namespace) =>
    workflowService.countWorkflowExecutions({ namespace }),
  'write (SignalWorkflowExecution)': ({ workflowService }, namespace) =>
    workflowService.signalWorkflowExecution({
      namespace,
      signalName: 'none',
      workflowExecution: { workflowId: 'hundredfold-doctor-asks-for-permission' },
    }),
};

/** Names of the calls that are not permitted. */
export async function refusedCalls(client: Client): Promise<Closed[]> {
  const refused: Closed[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    try {
      await call(client, client.options.namespace);
    } catch (error) {
      // NOT_FOUND for the workflow that does not exist proves the permission to signal it.
      if (isClosed(error)) refused.push({ closed: name, words: statusOf(error)?.details ?? '' });
      else if (statusOf(error)?.code !== STATUS.notFound) throw error;
    }
  }
  return refused;
}

export function isClosedPart(part: object | null): part is Closed {
  return part !== null && 'closed' in part;
}

export function closedBy(call: string, error: unknown): Closed {
  if (!isClosed(error)) throw error;
  return { closed: call, words: statusOf(error)?.details ?? '' };
}

function switchedOn(capabilities: object | null | undefined): string[] {
  const all = { ...capabilities } as Record<string, unknown>;
  return Object.keys(all).filter((name) => all[name] === true);
}
