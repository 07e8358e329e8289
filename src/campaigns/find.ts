/** Campaigns as Temporal knows them. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { ifFound } from '../activities/if-found.ts';
import { codedError } from '../domain/errors.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';

export interface CampaignLine {
  readonly name: string;
  /** `running`, `paused`, `publishing`, `completed`, `cancelled`; or `ended by hand`. */
  readonly state: string;
  readonly open: boolean;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly out: string;
}

/** The newest first. */
export async function listCampaigns(client: Client): Promise<CampaignLine[]> {
  const lines = new Map<string, CampaignLine>();
  for await (const info of client.workflow.list({ query: 'WorkflowType="campaign"' })) {
    const line = lineOf(info);
    // A campaign that was run again, or continued as new, has several runs: the newest comes first.
    if (!lines.has(line.name)) lines.set(line.name, line);
  }
  return [...lines.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** Throws CAMPAIGN_UNKNOWN. */
export async function findCampaign(client: Client, name: string): Promise<CampaignLine> {
  return lineOf(await describeCampaign(client, name));
}

/** Takes the server up to half a second while the campaign is busy. Throws CAMPAIGN_UNKNOWN. */
export async function describeCampaign(
  client: Client,
  name: string,
): Promise<WorkflowExecutionDescription> {
  const found = await ifFound(client.workflow.getHandle(campaignWorkflowId(name)).describe());
  if (found === null) throw codedError('CAMPAIGN_UNKNOWN', { case: 'name', name });
  return found;
}

export function lineOf(
  info: Pick<
    WorkflowExecutionDescription,
    'workflowId' | 'status' | 'startTime' | 'closeTime' | 'memo' | 'typedSearchAttributes'
  >,
): CampaignLine {
  const { workflowId, status, startTime, closeTime, memo, typedSearchAttributes } = info;
  const open = status.name === 'RUNNING';
  const state = typedSearchAttributes.get(ATTRIBUTES.state) ?? 'running';
  const byHand = !open && status.name !== 'COMPLETED' && status.name !== 'CONTINUED_AS_NEW';
  return {
    name: workflowId.slice(campaignWorkflowId('').length),
    state: byHand ? 'ended by hand' : state,
    open,
    // The memo stays when a campaign continues as new; the start time does not.
    startedAt: textIn(memo, 'startedAt') ?? startTime.toISOString(),
    endedAt: closeTime?.toISOString() ?? null,
    out: textIn(memo, 'out') ?? '',
  };
}

function textIn(memo: Record<string, unknown> | undefined, key: string): string | null {
  const value = memo?.[key];
  return typeof value === 'string' ? value : null;
}
