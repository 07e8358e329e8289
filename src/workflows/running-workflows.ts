/** List filters of Temporal for workflows that run. */
import type { ServiceName } from '../domain/item.ts';
import { ATTRIBUTES } from './search-attributes.ts';

type WorkflowType = 'budget' | 'campaign' | 'item';

/** What a workflow must have; absent conditions do not count. */
interface Conditions {
  readonly taskQueue?: string;
  /** Items of this campaign. */
  readonly campaign?: string | undefined;
  /** Items of this service. */
  readonly service?: ServiceName;
  /** Items in this state. */
  readonly state?: string;
}

/** The filter for running workflows of these types. */
export function runningWorkflows(
  types: readonly [WorkflowType, ...WorkflowType[]],
  { taskQueue, campaign, service, state }: Conditions = {},
): string {
  const { campaign: ofCampaign, service: ofService, state: inState } = ATTRIBUTES;
  const conditions = [
    types.length === 1
      ? is('WorkflowType', types[0])
      : `WorkflowType IN (${types.map(quoted).join(', ')})`,
    is('ExecutionStatus', 'Running'),
    taskQueue !== undefined && is('TaskQueue', taskQueue),
    campaign !== undefined && is(ofCampaign.name, campaign),
    service !== undefined && is(ofService.name, service),
    state !== undefined && is(inState.name, state),
  ];
  return conditions.filter((one) => one !== false).join(' AND ');
}

function is(name: string, value: string): string {
  return `${name}=${quoted(value)}`;
}

function quoted(value: string): string {
  return `"${value}"`;
}
