/** What `doctor` reports about a Temporal server: access, what campaigns need there, and whether they make progress. */
import { X509Certificate } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { readBudget } from '../activities/budget-run.ts';
import { formatNonZeroDuration } from '../domain/units.ts';
import type { Session } from '../temporal/host/session.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import { createNamespaceError } from '../temporal/grpc-status.ts';
import {
  KEYWORD,
  hasAttributes,
  createAttributes,
  isClosedPart,
  isRecent,
  readAttributes,
  readHeartbeats,
  readRetention,
  readServer,
  listRefusedCalls,
  updateRetention,
  type Closed,
} from '../temporal/namespace.ts';
import { type Stuck, findStuck } from '../temporal/stuck.ts';
import { ATTRIBUTE_NAMES, buildRunningQuery } from '../workflows/names.ts';
import { listNotices } from './events.ts';
import { createCodedProblem, type Finding, findAt, toProblem } from './finding.ts';
import { describeRefusals, findTreeObstacle } from './obstacles.ts';

const DAY_MS = 24 * 3_600_000;
/** A shorter retention is a problem: a campaign may last longer than the server keeps its items. */
const MIN_RETENTION_MS = 7 * DAY_MS;

/** Never empty. Ends within 15 s. */
export async function checkTemporal(
  target: TemporalAddress,
  taskQueue: string,
): Promise<Finding[]> {
  return findAt(target, (client) => listFindings(client, target, taskQueue));
}

async function listFindings(
  client: Client,
  target: TemporalAddress,
  taskQueue: string,
): Promise<Finding[]> {
  const server = await checkServer(client, target);
  const namespace = await checkNamespace(client, target);
  if (namespace.some(({ code }) => code === 'TEMPORAL_NAMESPACE_MISSING'))
    return [server, ...namespace];
  return [
    server,
    ...checkCertificate(target),
    ...namespace,
    await checkAttributes(client, target),
    await checkPermissions(client),
    await checkWorkers(client, taskQueue),
  ];
}

async function checkServer(client: Client, target: TemporalAddress): Promise<Finding> {
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

function checkCertificate({ tls }: TemporalAddress): Finding[] {
  if (!tls?.cert) return [];
  const check = 'Temporal client certificate';
  const until = new X509Certificate(tls.cert).validToDate;
  const found = `valid until ${until.toISOString()}`;
  if (until.getTime() - Date.now() > EXPIRES_SOON_MS) return [{ check, ok: true, found }];
  const remedy = 'Renew it and replace the files: workers use the new files automatically.';
  return [{ check, ok: true, warning: true, found, remedy }];
}

async function checkNamespace(client: Client, target: TemporalAddress): Promise<Finding[]> {
  const { namespace } = target;
  const state = await readRetention(client);
  if (state === null) return [toProblem('Temporal namespace', createNamespaceError(namespace))];
  if (isClosedPart(state)) return [createUnknown('Temporal retention', state)];
  const { retentionMs } = state;
  const found = `ended workflows are kept for ${formatNonZeroDuration(retentionMs)}`;
  const exists: Finding = { check: 'Temporal namespace', ok: true, found: `${namespace} exists` };
  if (retentionMs >= MIN_RETENTION_MS)
    return [exists, { check: 'Temporal retention', ok: true, found }];
  return [
    exists,
    createCodedProblem(
      'Temporal retention',
      'TEMPORAL_RETENTION_SHORT',
      `${found}: ended items vanish from the UI, and their workflow ids can be used again, while their campaign may still run`,
      `Keep them for 30 days: ${updateRetention(target, 30)}`,
    ),
  ];
}

async function checkAttributes(client: Client, target: TemporalAddress): Promise<Finding> {
  const check = 'Temporal search attributes';
  const state = await readAttributes(client);
  if (isClosedPart(state)) return createClosedAttributes(client, state);
  const wrong = ATTRIBUTE_NAMES.filter((name) => (state[name] ?? KEYWORD) !== KEYWORD);
  if (wrong.length > 0) {
    const attributes = wrong.map((name) => `${name} (${findTypeName(state[name])})`);
    return createCodedProblem(
      check,
      'TEMPORAL_ATTRIBUTES_REFUSED',
      `of another type than Keyword: ${attributes.join(', ')}`,
      'Types cannot be changed: use another namespace (temporal.namespace).',
    );
  }
  const missing = ATTRIBUTE_NAMES.filter((name) => !(name in state));
  if (missing.length === 0) return { check, ok: true, found: 'all seven are there, as Keyword' };
  return createCodedProblem(
    check,
    'TEMPORAL_ATTRIBUTES_REFUSED',
    `missing: ${missing.join(', ')}`,
    `The next worker or run adds them, or an administrator: ${createAttributes(target, missing)}`,
  );
}

/** `keyword list`, of `INDEXED_VALUE_TYPE_KEYWORD_LIST`. */
function findTypeName(type = 0): string {
  const name = proto.temporal.api.enums.v1.IndexedValueType[type] ?? '';
  return name.replace('INDEXED_VALUE_TYPE_', '').replaceAll('_', ' ').toLowerCase();
}

/** For Temporal Cloud, and gateways that block the operator service. */
async function createClosedAttributes(client: Client, { words }: Closed): Promise<Finding> {
  const check = 'Temporal search attributes';
  const closed = `access to the operator service is denied (${words})`;
  const known = await hasAttributes(client);
  if (known === true) return { check, ok: true, found: `all seven can be used; ${closed}` };
  return createCodedProblem(
    check,
    'TEMPORAL_ATTRIBUTES_REFUSED',
    known === false ? `some are missing; ${closed}` : `cannot be checked: ${closed}`,
    `Ask an administrator to add them, each as Keyword: ${ATTRIBUTE_NAMES.join(', ')}. In Temporal Cloud: the page of the namespace, or tcld.`,
  );
}

async function checkPermissions(client: Client): Promise<Finding> {
  const check = 'Temporal permissions';
  const refused = await listRefusedCalls(client);
  if (refused.length === 0) return { check, ok: true, found: 'workflows can be read and written' };
  const calls = refused.map(({ closed, words }) => `${closed}${words && `: ${words}`}`);
  return createCodedProblem(
    check,
    'TEMPORAL_PERMISSION_DENIED',
    `not permitted: ${calls.join('; ')}`,
    'Ask for the role of a writer in the namespace.',
  );
}

async function checkWorkers(client: Client, taskQueue: string): Promise<Finding> {
  const check = 'Temporal workers';
  const seen = await readHeartbeats(client, taskQueue);
  if (isClosedPart(seen)) return createUnknown(check, seen);
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

function createUnknown(check: string, { closed, words }: Closed): Finding {
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
export async function checkWorkflows(
  target: TemporalAddress,
  role: Session['role'],
): Promise<Finding[]> {
  return findAt(target, (client) => lookAtWorkflows({ client, role }));
}

async function lookAtWorkflows(session: Pick<Session, 'client' | 'role'>): Promise<Finding[]> {
  const { client, role } = session;
  const found: Finding[] = [];
  const query = buildRunningQuery(['budget', 'campaign']);
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const description = await client.workflow.getHandle(workflowId, runId).describe();
    const stuck = await findStuck(client, description, Date.now());
    if (stuck) found.push(createStuckFinding(workflowId, stuck, role));
    if (!workflowId.startsWith('budget:')) {
      found.push(...(await checkTree(session, description)));
      continue;
    }
    const budget = await readBudget(client, workflowId);
    const check = formatName(workflowId);
    if (budget?.refusal)
      found.push({ check, ok: false, found: describeRefusals([budget], Date.now()).join(' ') });
    for (const { words } of budget ? listNotices(budget) : [])
      found.push({ check, ok: true, found: words });
  }
  return found;
}

/** Campaigns whose tree was removed or replaced, or is leased to another Temporal. */
async function checkTree(
  session: Pick<Session, 'client' | 'role'>,
  description: WorkflowExecutionDescription,
): Promise<Finding[]> {
  const { workflowId, memo } = description;
  const folder = memo?.['out'];
  if (typeof folder !== 'string') return [];
  const name = workflowId.slice('campaign:'.length);
  const obstacle = await findTreeObstacle({ session, name, folder }, description);
  return obstacle === null ? [] : [{ check: formatName(workflowId), ok: false, found: obstacle }];
}

/** `budget:predictions:host/path` → `budget predictions:host/path` */
function formatName(workflowId: string): string {
  return workflowId.replace(':', ' ');
}

function createStuckFinding(workflowId: string, stuck: Stuck, role: Session['role']): Finding {
  const check = formatName(workflowId);
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
    remedy: chooseRemedy(workflowId, role),
  };
}

function chooseRemedy(workflowId: string, role: Session['role']): string {
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
