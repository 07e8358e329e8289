/**
 * The Temporal server and namespace that campaigns run in: what it has, read by calls that change nothing; our search
 * attributes, registered; and the commands for administrators who do it themselves. A server that refuses one of
 * them (Temporal Cloud the operator service, a gateway any of them) still answers the rest.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { Deadline } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { ATTRIBUTE_NAMES } from '../workflows/names.ts';
import { isClosed, isTemporalAway, findStatus, nullIfClosed } from './grpc-status.ts';

/** A call that was not permitted, by name, with the server's message. */
interface Closed {
  readonly closed: string;
  readonly words: string;
}

export function isClosedPart(part: object | null): part is Closed {
  return part !== null && 'closed' in part;
}

/** For `catch`. Other errors are thrown. */
function toClosed(call: string, error: unknown): Closed {
  if (!isClosed(error)) throw error;
  return { closed: call, words: findStatus(error)?.details ?? '' };
}

/** Of search attributes, as the operator service has it. */
const KEYWORD: number = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/** The search attributes of the namespace by name, as numbers of IndexedValueType. */
async function readAttributes(client: Client): Promise<Readonly<Record<string, number>> | Closed> {
  const { namespace } = client.options;
  try {
    const { operatorService } = client.connection;
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return customAttributes;
  } catch (error) {
    return toClosed('OperatorService.ListSearchAttributes', error);
  }
}

/** Whether workflows can be started with our attributes: a query is checked against the same list. null: unknown. */
export async function hasAttributes(client: Client): Promise<boolean | null> {
  const { namespace } = client.options;
  const query = ATTRIBUTE_NAMES.map((name) => `${name} = "?"`).join(' AND ');
  try {
    await client.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if (/search attribute|mapping defined/i.test(findStatus(error)?.details ?? '')) return false;
    return nullIfClosed(error);
  }
}

const RETENTION = '90 days';

/**
 * The dev server deletes ended workflows after a day by default: campaigns would disappear from the UI, and workflow
 * ids could be used twice. (A retention of 0 reports success and changes nothing.)
 */
export async function keepHistories(client: Client): Promise<void> {
  await client.workflowService.updateNamespace({
    namespace: client.options.namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION) },
  });
}

const AGAIN_INTERVAL_MS = 200;
const KNOWN_TIMEOUT_MS = 60_000;
/**
 * Frontend and history each have a copy of the attributes, which they refresh at different moments; we can only query
 * the frontend. Workflows that start children are checked by history: if we had to wait for the frontend, it gets one more
 * interval, which is that of the embedded server (others: 2 s).
 */
const OTHER_COPIES_MS = 10_000;
/** A server that dies meanwhile is back within seconds. */
const MAX_TRIES = 3;

/**
 * Registers our search attributes, and waits until workflows can be started with them: a server on SQL checks every
 * start against a copy of the namespace in memory. Done at each start: the dev server's flag for attributes is silently
 * ignored if its database already exists.
 * @throws HundredfoldError `TEMPORAL_ATTRIBUTES_REFUSED` when the namespace accepts no more, or the server does not load
 * them
 */
export async function registerSearchAttributes(client: Client): Promise<void> {
  const missing = await listMissing(client);
  if (missing.length > 0) await addAttributes(client, missing);
  if ((await hasAttributes(client)) !== false) return;
  const deadline = new Deadline(KNOWN_TIMEOUT_MS);
  do {
    if (deadline.hasPassed) {
      const seconds = KNOWN_TIMEOUT_MS / 1_000;
      throw createAttributesError(
        client,
        `it does not know them ${seconds} s after they were added`,
      );
    }
    await delay(AGAIN_INTERVAL_MS);
  } while ((await hasAttributes(client)) === false);
  await delay(OTHER_COPIES_MS);
}

/** If the operator service is closed (Temporal Cloud), nothing can be added: that needs an administrator. */
async function listMissing(client: Client): Promise<string[]> {
  const found = await readAttributes(client);
  if (!isClosedPart(found)) return ATTRIBUTE_NAMES.filter((name) => !(name in found));
  if ((await hasAttributes(client)) !== false) return [];
  const why = `they are missing, and its operator service is closed (${found.words})`;
  throw createAttributesError(client, why);
}

async function addAttributes(
  client: Client,
  missing: readonly string[],
  tries = MAX_TRIES,
): Promise<void> {
  try {
    await client.connection.operatorService.addSearchAttributes({
      namespace: client.options.namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    const left = await listMissing(client);
    // Another command was faster.
    if (left.length === 0) return;
    if (isTemporalAway(error) && tries > 1) return addAttributes(client, left, tries - 1);
    // The namespace has no free Keyword attribute, or we have no permission to add one.
    throw createAttributesError(client, findStatus(error)?.details ?? String(error), error);
  }
}

function createAttributesError(client: Client, reason: string, cause?: unknown): HundredfoldError {
  const { namespace } = client.options;
  const command = createAttributes({ address: 'HOST:PORT', namespace });
  return new HundredfoldError(
    'TEMPORAL_ATTRIBUTES_REFUSED',
    `Temporal does not accept the search attributes in the namespace ${namespace}: ${reason}`,
    `Ask an administrator to add them: ${command}`,
    { cause },
  );
}

/** For an administrator, who types it. */
export function createAttributes(
  { address, namespace }: { readonly address: string; readonly namespace: string },
  names = ATTRIBUTE_NAMES,
): string {
  const attributes = names.map((name) => `--name ${name} --type Keyword`).join(' ');
  return `temporal operator search-attribute create --address ${address} --namespace ${namespace} ${attributes}`;
}

/** A worker that has not stopped; it may have been killed. */
interface WorkerSeen {
  readonly identity: string;
  /** Its last heartbeat, in ms since the epoch by the clock of its host. */
  readonly at: number;
}

const { WORKER_STATUS_RUNNING: RUNNING } = proto.temporal.api.enums.v1.WorkerStatus;
/** One look compares the clocks of two hosts (ms). */
const RECENT_MS = 30_000;

export function isRecent({ at }: WorkerSeen): boolean {
  return Date.now() - at < RECENT_MS;
}

/**
 * Who works on a task queue, by the heartbeats that workers send to the server. A hint for words: polls, leases and
 * fences decide. Rejected: the pollers of a task queue, which the server lists for minutes after they have ended.
 *
 * Servers before 1.29 do not know the call, and have it closed.
 */
export async function readHeartbeats(
  client: Client,
  taskQueue: string,
): Promise<WorkerSeen[] | Closed> {
  const { namespace } = client.options;
  const query = `TaskQueue = "${taskQueue}"`;
  try {
    const { workersInfo } = await client.workflowService.listWorkers({ namespace, query });
    return workersInfo.flatMap(({ workerHeartbeat: beat }) => {
      if (beat?.status !== RUNNING) return [];
      const { seconds, nanos } = beat.heartbeatTime ?? {};
      return {
        identity: beat.workerIdentity ?? '',
        at: Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6,
      };
    });
  } catch (error) {
    return toClosed('ListWorkers', error);
  }
}
