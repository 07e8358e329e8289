/** What `doctor` reports about a Temporal server: access, what campaigns need there, and whether they make progress. */
import { X509Certificate } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { readBudget } from '../activities/budget-status.ts';
import { formatNonZeroDuration } from '../domain/duration.ts';
import type { Session } from '../host/session.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import { namespaceMissing } from '../temporal/grpc-status.ts';
import {
  KEYWORD,
  attributesAreKnown,
  createAttributes,
  isClosedPart,
  isRecent,
  readAttributes,
  readHeartbeats,
  readRetention,
  readServer,
  refusedCalls,
  updateRetention,
  type Closed,
} from '../temporal/namespace.ts';
import { type Stuck, stuckBecause } from '../watchdog/stuck.ts';
import { ATTRIBUTE_NAMES, runningWorkflows } from '../workflows/search-attributes.ts';
import { noticesOf } from './events.ts';
import { codedProblem, type Finding, findingsAt, problem } from './finding.ts';
import { refusalWords, treeObstacleOf } from './obstacles.ts';

const DAY_MS = 24 * 3_600_000;
/** A shorter retention is a problem: a campaign may last longer than the server keeps its items. */
const LEAST_RETENTION_MS = 7 * DAY_MS;

/** Never empty. Ends within 15 s. */
export async function temporalFindings(
  target: TemporalAddress,
  taskQueue: string,
): Promise<Finding[]> {
  return findingsAt(target, (client) => findings(client, target, taskQueue));
}

async function findings(
  client: Client,
  target: TemporalAddress,
  taskQueue: string,
): Promise<Finding[]> {
  const server = await serverFinding(client, target);
  const namespace = await namespaceFindings(client, target);
  if (namespace.some(({ code }) => code === 'TEMPORAL_NAMESPACE_MISSING'))
    return [server, ...namespace];
  return [
    server,
    ...certificateFindings(target),
    ...namespace,
    await attributesFinding(client, target),
    await permissionsFinding(client),
    await workersFinding(client, taskQueue),
  ];
}

async function serverFinding(client: Client, target: TemporalAddress): Promise<Finding> {
  const check = 'Temporal';
  const { address, tls, apiKey, namespace } = target;
  const how = tls?.cert ? 'mutual TLS' : (tls ?? apiKey) === undefined ? 'plain text' : 'TLS';
  const key = apiKey === undefined ? '' : ', API key';
  const at = `${address}, namespace ${namespace}, ${how}${key}`;
  const state = await readServer(client);
  if (isClosedPart(state))
    return { check, ok: true, found: `${at}; it does not report its version` };
  return { check, ok: true, found: `${at}; server ${state.version}` };
}

/** Enough time to renew it. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

function certificateFindings({ tls }: TemporalAddress): Finding[] {
  if (!tls?.cert) return [];
  const check = 'Temporal client certificate';
  const until = new X509Certificate(tls.cert).validToDate;
  const found = `valid until ${until.toISOString()}`;
  if (until.getTime() - Date.now() > EXPIRES_SOON_MS) return [{ check, ok: true, found }];
  const remedy = 'Renew it and replace the files: workers use the new files automatically.';
  return [{ check, ok: true, warning: true, found, remedy }];
}

async function namespaceFindings(client: Client, target: TemporalAddress): Promise<Finding[]> {
  const { namespace } = target;
  const state = await readRetention(client);
  if (state === null) return [problem('Temporal namespace', namespaceMissing(namespace))];
  if (isClosedPart(state)) return [unknown('Temporal retention', state)];
  const { retentionMs } = state;
  const found = `ended workflows are kept for ${formatNonZeroDuration(retentionMs)}`;
  const exists: Finding = { check: 'Temporal namespace', ok: true, found: `${namespace} exists` };
  if (retentionMs >= LEAST_RETENTION_MS)
    return [exists, { check: 'Temporal retention', ok: true, found }];
  return [
    exists,
    codedProblem(
      'Temporal retention',
      'TEMPORAL_RETENTION_SHORT',
      `${found}: ended items vanish from the UI, and their workflow ids can be used again, while their campaign may still run`,
      `Keep them for 30 days: ${updateRetention(target, 30)}`,
    ),
  ];
}

async function attributesFinding(client: Client, target: TemporalAddress): Promise<Finding> {
  const check = 'Temporal search attributes';
  const state = await readAttributes(client);
  if (isClosedPart(state)) return closedAttributes(client, state);
  const wrong = ATTRIBUTE_NAMES.filter((name) => (state[name] ?? KEYWORD) !== KEYWORD);
  if (wrong.length > 0) {
    const attributes = wrong.map((name) => `${name} (${typeName(state[name])})`);
    return codedProblem(
      check,
      'TEMPORAL_ATTRIBUTES_REFUSED',
      `of another type than Keyword: ${attributes.join(', ')}`,
      'Types cannot be changed: use another namespace (temporal.namespace).',
    );
  }
  const missing = ATTRIBUTE_NAMES.filter((name) => !(name in state));
  if (missing.length === 0) return { check, ok: true, found: 'all seven are there, as Keyword' };
  return codedProblem(
    check,
    'TEMPORAL_ATTRIBUTES_REFUSED',
    `missing: ${missing.join(', ')}`,
    `The next worker or run adds them, or an administrator: ${createAttributes(target, missing)}`,
  );
}

/** `keyword list`, of `INDEXED_VALUE_TYPE_KEYWORD_LIST`. */
function typeName(type = 0): string {
  const name = proto.temporal.api.enums.v1.IndexedValueType[type] ?? '';
  return name.replace('INDEXED_VALUE_TYPE_', '').replaceAll('_', ' ').toLowerCase();
}

/** For Temporal Cloud, and gateways that block the operator service. */
async function closedAttributes(client: Client, { words }: Closed): Promise<Finding> {
  const check = 'Temporal search attributes';
  const closed = `access to the operator service is denied (${words})`;
  const known = await attributesAreKnown(client);
  if (known === true) return { check, ok: true, found: `all seven can be used; ${closed}` };
  return codedProblem(
    check,
    'TEMPORAL_ATTRIBUTES_REFUSED',
    known === false ? `some are missing; ${closed}` : `cannot be checked: ${closed}`,
    `Ask an administrator to add them, each as Keyword: ${ATTRIBUTE_NAMES.join(', ')}. In Temporal Cloud: the page of the namespace, or tcld.`,
  );
}

async function permissionsFinding(client: Client): Promise<Finding> {
  const check = 'Temporal permissions';
  const refused = await refusedCalls(client);
  if (refused.length === 0) return { check, ok: true, found: 'workflows can be read and written' };
  const calls = refused.map(({ closed, words }) => `${closed}${words && `: ${words}`}`);
  return codedProblem(
    check,
    'TEMPORAL_PERMISSION_DENIED',
    `not permitted: ${calls.join('; ')}`,
    'Ask for the role of a writer in the namespace.',
  );
}

async function workersFinding(client: Client, taskQueue: string): Promise<Finding> {
  const check = 'Temporal workers';
  const seen = await readHeartbeats(client, taskQueue);
  if (isClosedPart(seen)) return unknown(check, seen);
  const recent = seen.filter(isRecent);
  if (recent.length === 0) {
    return {
      check,
      ok: true,
      warning: true,
      found: `none works on the task queue ${taskQueue}`,
      remedy:
        'hundredfold run includes a worker while it runs; hundredfold worker runs permanently.',
    };
  }
  const workers = new Map(recent.map(({ identity, version }) => [identity, version]));
  const list = [...workers].map(
    ([identity, version]) => identity + (version ? ` (${version})` : ''),
  );
  return { check, ok: true, found: `${list.join(', ')} on the task queue ${taskQueue}` };
}

function unknown(check: string, { closed, words }: Closed): Finding {
  return {
    check,
    ok: true,
    warning: true,
    found: `cannot be checked: ${closed} is not permitted (${words})`,
    remedy: 'Ask an administrator, or for this permission.',
  };
}

/**
 * Empty if there is no problem. Ends within 15 s.
 * @param role `remote`: the workers of a Temporal elsewhere may have trees that this machine does not have
 */
export async function workflowFindings(
  target: TemporalAddress,
  role: Session['role'],
): Promise<Finding[]> {
  return findingsAt(target, (client) => lookAtWorkflows({ client, role }));
}

async function lookAtWorkflows(session: Pick<Session, 'client' | 'role'>): Promise<Finding[]> {
  const { client, role } = session;
  const found: Finding[] = [];
  const query = runningWorkflows(['budget', 'campaign']);
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const description = await client.workflow.getHandle(workflowId, runId).describe();
    const stuck = await stuckBecause(client, description, Date.now());
    if (stuck) found.push(stuckFinding(workflowId, stuck, role));
    if (!workflowId.startsWith('budget:')) {
      found.push(...(await treeFindings(session, description)));
      continue;
    }
    const budget = await readBudget(client, workflowId);
    const check = nameOf(workflowId);
    for (const words of budget ? refusalWords(budget, Date.now()) : [])
      found.push({ check, ok: false, found: words });
    for (const { words } of budget ? noticesOf(budget) : [])
      found.push({ check, ok: true, found: words });
  }
  return found;
}

/** Campaigns whose tree was removed or replaced, or is leased to another Temporal. */
async function treeFindings(
  session: Pick<Session, 'client' | 'role'>,
  description: WorkflowExecutionDescription,
): Promise<Finding[]> {
  const { workflowId, memo } = description;
  const folder = memo?.['out'];
  if (typeof folder !== 'string') return [];
  const name = workflowId.slice('campaign:'.length);
  const obstacle = await treeObstacleOf({ session, name, folder }, description);
  return obstacle === null ? [] : [{ check: nameOf(workflowId), ok: false, found: obstacle }];
}

/** `budget:predictions:host/path` → `budget predictions:host/path` */
function nameOf(workflowId: string): string {
  return workflowId.replace(':', ' ');
}

function stuckFinding(workflowId: string, stuck: Stuck, role: Session['role']): Finding {
  const check = nameOf(workflowId);
  if (stuck.type === 'unattended') {
    const found = `no worker has polled its tasks for ${Math.round(stuck.sinceMs / 1_000)} s`;
    const remedy =
      'Run the "hundredfold run" command of an open campaign again, or start a worker: hundredfold worker.';
    return { check, ok: false, found, remedy };
  }
  const why = stuck.type === 'unreplayable' ? 'its history cannot be replayed' : 'its tasks fail';
  return {
    check,
    ok: false,
    found: `${why} (${stuck.message})`,
    remedy: remedyOf(workflowId, role),
  };
}

function remedyOf(workflowId: string, role: Session['role']): string {
  if (workflowId.startsWith('budget:'))
    return 'A worker restarts it within a minute, with everything that may be charged: hundredfold run, watch or worker.';
  const name = workflowId.slice('campaign:'.length);
  // Workers of another version at a remote Temporal may be able to replay it, so there `cancel` is left to the user.
  const end =
    role === 'remote'
      ? `Terminate ${workflowId} in the Temporal UI`
      : `Run "hundredfold cancel ${name}"`;
  return `${end}, then run the "hundredfold run" command of ${name} again: it continues with what is on disk.`;
}
