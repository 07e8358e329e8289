/**
 * What `doctor` reports about a running Temporal: whether it answers, and whether its budgets and campaigns make
 * progress.
 */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { readBudget } from '../activities/budget-status.ts';
import type { Session } from '../host/session.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import { stuckBecause, type Stuck } from '../watchdog/stuck.ts';
import { noticesOf } from '../campaigns/budget-notices.ts';
import { findingsAt } from './connected.ts';
import type { Finding } from './finding.ts';
import { refusalWords } from '../campaigns/standstill.ts';
import { treeObstacleOf } from '../campaigns/tree-obstacle.ts';
import { runningWorkflows } from '../workflows/search-attributes.ts';

/**
 * Empty if there is no problem. Ends within 15 s.
 * @param role `remote`: the workers of a Temporal elsewhere may have trees that this machine does not have
 */
export async function workflowFindings(
  target: TemporalAddress,
  role: Session['role'],
): Promise<Finding[]> {
  return findingsAt(target, (client) => findings({ client, role }));
}

async function findings(session: Pick<Session, 'client' | 'role'>): Promise<Finding[]> {
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
